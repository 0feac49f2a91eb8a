package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QemuMachineTest {
  @ParameterizedTest
  @CsvSource({
    "aarch64, true,  true,  'virt,gic-version=3', host,       device, kvm, console=ttyAMA0, 1",
    "aarch64, true,  false, 'virt,gic-version=3', host,       device, kvm, console=ttyAMA0, 1",
    "aarch64, false, true,  'virt,gic-version=3', cortex-a76, device, tcg, console=ttyAMA0, 2",
    "aarch64, false, false, 'virt,gic-version=3', cortex-a76, device, tcg, console=ttyAMA0, 2",
    "x86_64,  true,  true,  'microvm,acpi=on',    host,       device, kvm, console=ttyS0,   1",
    "x86_64,  true,  false, 'microvm,acpi=on',    host,       device, kvm, console=ttyS0,   1",
    "x86_64,  false, true,  'microvm,acpi=on,pit=off,pic=off,rtc=off',"
        + "                                           max,        device, tcg, console=ttyS0,   3",
    "x86_64,  false, false, q35,                  max,        pci,    tcg, console=ttyS0,   2"
  })
  void eachHostHasItsMachine(
      String arch,
      boolean kvm,
      boolean tscKnown,
      String type,
      String cpu,
      String transport,
      String accelerator,
      String console,
      int words) {
    QemuMachine machine =
        QemuMachine.choose(arch, kvm, tscKnown ? OptionalLong.of(2_100_000) : OptionalLong.empty());
    assertThat(machine.type()).isEqualTo(type);
    assertThat(machine.cpu()).isEqualTo(cpu);
    assertThat(machine.transport()).isEqualTo(transport);
    assertThat(machine.layout()).isEqualTo(type + "/" + accelerator + "/" + QemuCommand.LAYOUT);
    assertThat(machine.kernelParameters().split(" ")).contains(console).hasSize(words);
    if (kvm) {
      assertThat(machine.kernelParameters()).doesNotContain("mitigations", "tsc_early_khz");
    } else {
      assertThat(machine.kernelParameters()).contains("mitigations=off");
    }
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
