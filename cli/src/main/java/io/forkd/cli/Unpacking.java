package io.forkd.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Makes the files of a tar archive below a folder of this host. The archive is a guest's, so
 * nothing is made outside the folder, not through a link either, and no devices and no programs
 * that run as somebody else. Whoever unpacks owns what is made.
 */
final class Unpacking {
  private final Path folder;
  private final List<String> skipped = new ArrayList<>();

  Unpacking(Path folder) {
    this.folder = folder.toAbsolutePath().normalize();
  }

  /** Unpacks all and returns what was left out. */
  List<String> unpack(InputStream archive) throws IOException {
    Files.createDirectories(folder);
    TarReader tar = new TarReader(archive);
    List<TarEntry> folders = new ArrayList<>();
    for (Optional<TarEntry> next = tar.next(); next.isPresent(); next = tar.next()) {
      TarEntry entry = next.get();
      Path target = target(entry.path());
      if (entry.isFolder()) {
        makeFolder(target);
        folders.add(entry);
      } else if (!make(entry, target, tar)) {
        skipped.add(entry.path());
      }
    }
    // Last, since a folder may be closed to writing and its time is that of the last change in it.
    for (TarEntry entry : folders.reversed()) {
      finish(entry, target(entry.path()));
    }
    return skipped;
  }

  private boolean make(TarEntry entry, Path target, TarReader tar) throws IOException {
    if (target.equals(folder)) {
      return false;
    }
    makeFolder(parent(target));
    if (entry.isFile()) {
      Files.deleteIfExists(target);
      try (OutputStream out = Files.newOutputStream(target, StandardOpenOption.CREATE_NEW)) {
        tar.copyTo(out);
      }
      finish(entry, target);
    } else if (entry.isSymlink()) {
      Files.deleteIfExists(target);
      Files.createSymbolicLink(target, Path.of(entry.link()));
    } else if (entry.isHardLink()) {
      Path original = target(entry.link());
      requireNoLinks(parent(original));
      Files.deleteIfExists(target);
      Files.createLink(target, original);
    } else {
      return false;
    }
    return true;
  }

  /** Where something in the archive goes. */
  private Path target(String path) throws IOException {
    try {
      Path target = folder.resolve(path.replaceFirst("^/+", "")).normalize();
      if (target.startsWith(folder)) {
        return target;
      }
    } catch (InvalidPathException e) {
      throw new IOException("a name in the archive cannot be used here", e);
    }
    throw new IOException("the archive has '%s', outside the folder".formatted(Visible.name(path)));
  }

  private void makeFolder(Path target) throws IOException {
    requireNoLinks(target);
    Files.createDirectories(target);
  }

  private void requireNoLinks(Path target) throws IOException {
    for (Path part = target; !part.equals(folder) && part.startsWith(folder); part = parent(part)) {
      boolean exists = Files.exists(part, LinkOption.NOFOLLOW_LINKS);
      if (exists && !Files.isDirectory(part, LinkOption.NOFOLLOW_LINKS)) {
        throw new FileSystemException(part.toString(), null, "is in the way: no folder");
      }
    }
  }

  private static Path parent(Path path) throws IOException {
    return Optional.ofNullable(path.getParent())
        .orElseThrow(() -> new IOException("'%s' has no folder".formatted(path)));
  }

  private static void finish(TarEntry entry, Path target) throws IOException {
    Files.setPosixFilePermissions(target, permissions(entry.mode()));
    Files.setLastModifiedTime(target, FileTime.from(entry.modified(), TimeUnit.SECONDS));
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    PosixFilePermission[] all = PosixFilePermission.values();
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < all.length; i++) {
      if (((mode >> (all.length - 1 - i)) & 1) != 0) {
        set.add(all[i]);
      }
    }
    return set;
  }
}
