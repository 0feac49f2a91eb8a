package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;

/** A processor architecture guests may have. */
enum Arch {
  X86_64("x86_64", "amd64"),
  AARCH64("aarch64", "arm64");

  private final String kernelName;
  private final String debianName;

  Arch(String kernelName, String debianName) {
    this.kernelName = kernelName;
    this.debianName = debianName;
  }

  static Arch of(String name) {
    for (Arch arch : values()) {
      if (arch.kernelName.equals(name) || arch.debianName.equals(name)) {
        return arch;
      }
    }
    throw ForkdException.badRequest(
        "'%s' is not an architecture forkd makes guests for: x86_64 or aarch64.",
        Printable.shorten(name));
  }

  String debianName() {
    return debianName;
  }

  @Override
  public String toString() {
    return kernelName;
  }
}
