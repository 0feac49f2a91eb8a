package io.forkd.guest;

import io.forkd.base.ForkdException;
import java.util.Arrays;
import java.util.Set;

/** Absolute paths of a guest, without empty names and without "." and "..". */
final class GuestPath {
  static final int LONGEST = 4095;
  private static final Set<String> NOT_NAMES = Set.of("", ".", "..");

  private GuestPath() {}

  static boolean isPlain(byte[] path) {
    if (path.length == 0 || path.length > LONGEST || path[0] != '/' || hasNul(path)) {
      return false;
    }
    String[] names = GuestText.of(path).split("/", -1);
    return path.length == 1 || Arrays.stream(names).skip(1).noneMatch(NOT_NAMES::contains);
  }

  private static boolean hasNul(byte[] path) {
    for (byte value : path) {
      if (value == 0) {
        return true;
      }
    }
    return false;
  }

  /** The bytes of a path that a caller names. */
  static byte[] bytes(String path) {
    byte[] bytes = GuestText.bytes(path);
    if (!isPlain(bytes)) {
      throw ForkdException.badRequest(
          "'%s' is no path in a guest: it must be absolute, without '.' and '..', and at most %d"
              + " bytes long.",
          path, LONGEST);
    }
    return bytes;
  }
}
