package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QemuMachineTest {
  @ParameterizedTest
  @CsvSource({
    "aarch64, true,  true,  'virt,gic-version=3', host,       device, virt/kvm,    console=ttyAMA0",
    "aarch64, true,  false, 'virt,gic-version=3', host,       device, virt/kvm,    console=ttyAMA0",
    "aarch64, false, true,  'virt,gic-version=3', cortex-a76, device, virt/tcg,    console=ttyAMA0",
    "aarch64, false, false, 'virt,gic-version=3', cortex-a76, device, virt/tcg,    console=ttyAMA0",
    "x86_64,  true,  true,  'microvm,acpi=on',    host,       device, microvm/kvm, console=ttyS0",
    "x86_64,  true,  false, 'microvm,acpi=on',    host,       device, microvm/kvm, console=ttyS0",
    "x86_64,  false, true,  'microvm,acpi=on,pit=off,pic=off,rtc=off', max, device, microvm/tcg,"
        + " console=ttyS0",
    "x86_64,  false, false, q35,                  max,        pci,    q35/tcg,     console=ttyS0"
  })
  void eachHostHasItsMachine(
      String arch,
      boolean kvm,
      boolean tscKnown,
      String type,
      String cpu,
      String transport,
      String label,
      String console) {
    QemuMachine machine =
        QemuMachine.choose(arch, kvm, tscKnown ? OptionalLong.of(2_100_000) : OptionalLong.empty());
    assertThat(machine.type()).isEqualTo(type);
    assertThat(machine.cpu()).isEqualTo(cpu);
    assertThat(machine.transport()).isEqualTo(transport);
    assertThat(VmmInfo.shortMachine(machine.layout())).isEqualTo(label);
    assertThat(machine.kernelParameters().split(" ")).contains(console);
    assertThat(machine.kernelParameters().contains("reboot=t")).isEqualTo(arch.equals("x86_64"));
    if (kvm) {
      assertThat(machine.kernelParameters()).doesNotContain("mitigations", "tsc_early_khz");
    } else {
      assertThat(machine.kernelParameters()).contains("mitigations=off");
    }
  }

  /** A snapshot may be restored only where this is equal, so it must tell all machines apart. */
  @Test
  void everyMachineHasALayoutOfItsOwn() {
    assertThat(QemuCommandTest.machines().map(QemuMachine::layout))
        .doesNotHaveDuplicates()
        .contains("virt,gic-version=3/kvm/" + QemuCommand.LAYOUT)
        .allMatch(layout -> layout.endsWith("/" + QemuCommand.LAYOUT));
  }

  @Test
  void onlyAnEmulatedMicrovmIsToldTheTscFrequency() {
    assertThat(QemuMachine.choose("x86_64", false, OptionalLong.of(2_100_123)).kernelParameters())
        .endsWith(" tsc_early_khz=2100123");
    assertThat(QemuMachine.choose("aarch64", false, OptionalLong.of(1)).kernelParameters())
        .doesNotContain("tsc");
  }

  @Test
  void onlyEmulationHasATranslationCache() {
    assertThat(QemuMachine.Accelerator.TCG.argument(77)).isEqualTo("tcg,thread=multi,tb-size=77");
    assertThat(QemuMachine.Accelerator.KVM.argument(77)).isEqualTo("kvm");
  }
}
