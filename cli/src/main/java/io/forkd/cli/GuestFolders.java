package io.forkd.cli;

import io.forkd.client.FileInfo;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxFiles;
import java.util.Optional;

/** Tells folders of a sandbox from all else. */
final class GuestFolders {
  private static final int NOT_FOUND = 404;

  private GuestFolders() {}

  /** Whether a path is a folder, or a link to one; what does not exist is none. */
  static boolean isFolder(SandboxFiles files, String path) {
    Optional<FileInfo> found = find(files, path);
    return found.isPresent()
        && (found.get().isFolder()
            || (found.get().type().equals("symlink")
                && find(files, path + "/.").filter(FileInfo::isFolder).isPresent()));
  }

  private static Optional<FileInfo> find(SandboxFiles files, String path) {
    try {
      return Optional.of(files.stat(path));
    } catch (ForkdClientException e) {
      if (e.status() == NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
