package io.forkd.linux;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A block device by the numbers the kernel knows it by. */
public record BlockDevice(int major, int minor) {
  private static final Pattern NUMBERS = Pattern.compile("([0-9]{1,9}):([0-9]{1,9})");

  /** The device at the beginning of a text such as {@code 254:0 rbps=max}, when there is one. */
  static Optional<BlockDevice> at(String text) {
    Matcher numbers = NUMBERS.matcher(text);
    return numbers.lookingAt()
        ? Optional.of(
            new BlockDevice(Integer.parseInt(numbers.group(1)), Integer.parseInt(numbers.group(2))))
        : Optional.empty();
  }

  @Override
  public String toString() {
    return major + ":" + minor;
  }
}
