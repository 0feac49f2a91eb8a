package io.forkd.image;

import io.forkd.base.Folders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Folder trees, never following symbolic links. */
final class Trees {
  private Trees() {}

  /** Deletes a file or folder and all below it, after detaching mounts below it. */
  static void delete(Path tree) throws IOException {
    if (!Files.exists(tree, LinkOption.NOFOLLOW_LINKS)) {
      return;
    }
    if (Files.isDirectory(tree, LinkOption.NOFOLLOW_LINKS)) {
      Mounts.detachBelow(tree);
    }
    Folders.deleteIfThere(tree);
  }
}
