package io.forkd.vmm;

/**
 * What makes a snapshot restorable: it may be restored only where all of these are equal.
 *
 * @param name such as {@code qemu}
 * @param version the VMM's own version, such as {@code 7.2.22}
 * @param arch as {@code uname -m} says it
 * @param machine machine type with its options, accelerator and device layout, such as {@code
 *     microvm,acpi=on/kvm/1}
 * @param cpu the CPU model the guest sees
 * @param tscKhz the frequency of the time-stamp counter guests are told; 0 when they are not
 */
public record VmmInfo(
    String name, String version, String arch, String machine, String cpu, long tscKhz) {
  /** Machine type and accelerator alone, such as {@code microvm/kvm}. */
  public static String shortMachine(String machine) {
    return machine.replaceFirst("^([^,/]*)[^/]*/([^/]*).*$", "$1/$2");
  }

  /** One line for people, such as {@code qemu 7.2.22 microvm/tcg}. */
  public String summary() {
    return "%s %s %s".formatted(name, version, shortMachine(machine));
  }
}
