package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Map;
import java.util.Set;

/** A file that holds a secret: small, and closed to other users of this host. */
record SecretFile(Path path) {
  private static final int LARGEST = 256 * 1024;

  /** What tells one version of a file from the next, also when it was replaced by another file. */
  record Stamp(Map<String, Object> attributes) {
    Stamp {
      attributes = Map.copyOf(attributes);
    }
  }

  /**
   * Its text.
   *
   * @param next what to do when the file is missing, such as a command that makes it
   */
  String read(String what, String next) {
    try {
      refuseOpenToOthers(what);
      if (Files.size(path) > LARGEST) {
        throw ForkdException.badRequest(
            "The %s %s is larger than %d bytes, so it is not what it should be. Next: %s",
            what, path, LARGEST, next);
      }
      return Files.readString(path);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST,
          "Cannot read the %s %s: %s. Next: %s".formatted(what, path, e, next),
          e);
    }
  }

  /** Changes when the file does; that of a file that is not there is empty. */
  Stamp stamp() {
    try {
      return new Stamp(Files.readAttributes(path, "unix:ino,size,lastModifiedTime,ctime,mode"));
    } catch (IOException e) {
      return new Stamp(Map.of());
    }
  }

  private void refuseOpenToOthers(String what) throws IOException {
    Set<PosixFilePermission> permissions = Files.getPosixFilePermissions(path);
    if (permissions.contains(PosixFilePermission.OTHERS_READ)
        || permissions.contains(PosixFilePermission.OTHERS_WRITE)
        || permissions.contains(PosixFilePermission.GROUP_WRITE)) {
      throw ForkdException.badRequest(
          "The %s %s is open to other users of this host, so it may be no secret any more. Next:"
              + " chmod 600 %s, and replace what is in it if others could log in.",
          what, path, path);
    }
  }
}
