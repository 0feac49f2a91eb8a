package io.forkd.vmm;

import java.util.Locale;
import java.util.OptionalLong;

/**
 * The machine QEMU emulates: which type and CPU, and what the kernel must be told to boot on it.
 *
 * @param transport the suffix of virtio devices, {@code device} for MMIO or {@code pci}
 * @param kernelParameters what this machine needs on the kernel's command line
 */
record QemuMachine(
    String type, Accelerator accelerator, String cpu, String transport, String kernelParameters) {

  private static final String TSC = "tsc_early_khz=";

  /** Emulated CPUs do not speculate, and guarding against it costs them much. */
  private static final String EMULATED = "mitigations=off";

  /**
   * Restarts, also after a panic, are by triple fault: a microvm has none of the old devices that
   * Linux tries otherwise, and it would try forever.
   */
  private static final String PC = "console=ttyS0 reboot=t";

  enum Accelerator {
    KVM,
    TCG;

    String argument(int translationCacheMib) {
      return switch (this) {
        case KVM -> "kvm";
        case TCG -> "tcg,thread=multi,tb-size=" + translationCacheMib;
      };
    }
  }

  /**
   * Chooses the machine for a host.
   *
   * @param tscKhz the host's TSC frequency. Under TCG a microvm has no clock to calibrate its TSC
   *     against and must be told; when the frequency is unknown the heavier q35 serves.
   */
  static QemuMachine choose(String arch, boolean kvm, OptionalLong tscKhz) {
    Accelerator accelerator = kvm ? Accelerator.KVM : Accelerator.TCG;
    if (arch.equals("aarch64")) {
      return new QemuMachine(
          "virt,gic-version=3",
          accelerator,
          kvm ? "host" : "cortex-a76",
          "device",
          "console=ttyAMA0" + (kvm ? "" : " " + EMULATED));
    }
    String cpu = kvm ? "host" : "max";
    if (kvm) {
      return new QemuMachine("microvm,acpi=on", accelerator, cpu, "device", PC);
    }
    if (tscKhz.isPresent()) {
      // Without the old timers and interrupt controllers QEMU sleeps while the guest does; an
      // emulated PIT alone wakes it 36 times a second.
      return new QemuMachine(
          "microvm,acpi=on,pit=off,pic=off,rtc=off",
          accelerator,
          cpu,
          "device",
          PC + " " + EMULATED + " " + TSC + tscKhz.getAsLong());
    }
    return new QemuMachine("q35", accelerator, cpu, "pci", PC + " " + EMULATED);
  }

  /** The frequency the kernel is told, or 0. */
  long tscKhz() {
    int at = kernelParameters.indexOf(TSC);
    return at < 0 ? 0 : Long.parseLong(kernelParameters.substring(at + TSC.length()));
  }

  /**
   * All that device state depends on: machine type with its options, accelerator, and the devices
   * {@link QemuCommand} plugs in, by the number of their layout.
   */
  String layout() {
    return type + "/" + accelerator.name().toLowerCase(Locale.ROOT) + "/" + QemuCommand.LAYOUT;
  }
}
