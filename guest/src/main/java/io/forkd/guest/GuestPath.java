package io.forkd.guest;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;

/** Absolute paths of a guest, without empty names and without "." and "..". */
final class GuestPath {
  static final int LONGEST = 4095;

  private GuestPath() {}

  static boolean isPlain(byte[] path) {
    if (path.length == 0 || path.length > LONGEST || path[0] != '/') {
      return false;
    }
    int start = 1;
    for (int i = 1; i <= path.length; i++) {
      if (i == path.length || path[i] == '/') {
        if (isNoName(path, start, i) && path.length > 1) {
          return false;
        }
        start = i + 1;
      } else if (path[i] == 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isNoName(byte[] path, int from, int to) {
    boolean dots = true;
    for (int i = from; i < to; i++) {
      dots &= path[i] == '.';
    }
    return dots && to - from <= 2;
  }

  /** The bytes of a path that a caller names. */
  static byte[] bytes(String path) {
    byte[] bytes = GuestText.bytes(path);
    if (!isPlain(bytes)) {
      throw ForkdException.badRequest(
          "'%s' is no path in a guest: it must be absolute, without '.' and '..', and at most %d"
              + " bytes long.",
          Printable.shorten(path), LONGEST);
    }
    return bytes;
  }
}
