package io.forkd.vmm;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A QEMU release number. */
record QemuVersion(int major, int minor, int micro) implements Comparable<QemuVersion> {
  static final QemuVersion OLDEST_SUPPORTED = new QemuVersion(7, 2, 0);

  /** From here on a private mapping of a read-only file can be guest RAM. */
  static final QemuVersion READ_ONLY_IMAGES = new QemuVersion(8, 2, 0);

  /**
   * From here on {@code file:} is a migration address, and {@code fd:} is for sockets and pipes
   * only later.
   */
  static final QemuVersion FILE_MIGRATION = new QemuVersion(8, 2, 0);

  private static final Pattern VERSION = Pattern.compile("version (\\d+)\\.(\\d+)(?:\\.(\\d+))?");

  static Optional<QemuVersion> parse(String output) {
    Matcher matcher = VERSION.matcher(output);
    if (!matcher.find()) {
      return Optional.empty();
    }
    String micro = matcher.group(3);
    return Optional.of(
        new QemuVersion(
            Integer.parseInt(matcher.group(1)),
            Integer.parseInt(matcher.group(2)),
            micro == null ? 0 : Integer.parseInt(micro)));
  }

  boolean atLeast(QemuVersion other) {
    return compareTo(other) >= 0;
  }

  @Override
  public int compareTo(QemuVersion other) {
    int byMajor = Integer.compare(major, other.major);
    int byMinor = Integer.compare(minor, other.minor);
    return byMajor != 0 ? byMajor : byMinor != 0 ? byMinor : Integer.compare(micro, other.micro);
  }

  @Override
  public String toString() {
    return "%d.%d.%d".formatted(major, minor, micro);
  }
}
