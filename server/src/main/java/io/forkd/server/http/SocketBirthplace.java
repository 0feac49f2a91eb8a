package io.forkd.server.http;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A private folder in which a socket is bound before it is moved to its place. So nobody reaches it
 * under a lax umask, and whoever sees it can connect.
 */
final class SocketBirthplace {
  private final Path folder;
  private final Path place;

  SocketBirthplace(Path place) {
    this.place = place;
    this.folder = place.resolveSibling(".%d".formatted(ProcessHandle.current().pid()));
  }

  Path socket() {
    return folder.resolve("s");
  }

  void prepare() throws IOException {
    remove();
    Files.createDirectory(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
  }

  void publish() throws IOException {
    Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString("rw-------"));
    Files.move(socket(), place, ATOMIC_MOVE);
    remove();
  }

  void remove() throws IOException {
    Files.deleteIfExists(socket());
    Files.deleteIfExists(folder);
  }
}
