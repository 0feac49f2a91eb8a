package io.forkd.server.http;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.GroupPrincipal;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.Optional;

/**
 * A private folder in which a socket is bound before it is moved to its place. So nobody reaches it
 * under a lax umask, and whoever sees it can connect.
 */
final class SocketBirthplace {
  private final Path folder;
  private final Path place;
  private final Optional<String> group;

  SocketBirthplace(Path place, Optional<String> group) {
    this.group = group;
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
    String permissions = "rw-------";
    if (group.isPresent()) {
      Files.getFileAttributeView(socket(), PosixFileAttributeView.class)
          .setGroup(find(group.get()));
      permissions = "rw-rw----";
    }
    Files.setPosixFilePermissions(socket(), PosixFilePermissions.fromString(permissions));
    Files.move(socket(), place, ATOMIC_MOVE);
    remove();
  }

  private static GroupPrincipal find(String name) throws IOException {
    try {
      return FileSystems.getDefault()
          .getUserPrincipalLookupService()
          .lookupPrincipalByGroupName(name);
    } catch (UserPrincipalNotFoundException e) {
      throw new IOException("there is no group '%s' on this host".formatted(name));
    }
  }

  void remove() throws IOException {
    Files.deleteIfExists(socket());
    Files.deleteIfExists(folder);
  }
}
