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
    "x86_64,  false, true,  'microvm,acpi=on',    max,        device, microvm/tcg, console=ttyS0",
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
    assertThat(machine.label()).isEqualTo(label);
    assertThat(machine.kernelParameters().split(" "))
        .contains(console)
        .satisfies(words -> assertThat(words).as("mitigations").hasSize(expectedWords(label)));
    if (kvm) {
      assertThat(machine.kernelParameters()).doesNotContain("mitigations", "tsc_early_khz");
    } else {
      assertThat(machine.kernelParameters()).contains("mitigations=off");
    }
  }

  private static int expectedWords(String label) {
    return switch (label) {
      case "microvm/tcg" -> 3;
      case "virt/tcg", "q35/tcg" -> 2;
      default -> 1;
    };
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
