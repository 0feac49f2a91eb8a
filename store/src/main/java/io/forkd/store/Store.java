package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/**
 * The snapshots of one data folder. A snapshot appears by one rename and disappears by one, so that
 * nobody ever sees half of one; leftovers of interrupted work lie in {@code .staging} and are
 * removed when the store is opened. One daemon at a time may use a data folder.
 */
public final class Store {
  private static final String STAGING = ".staging";

  private final Path root;
  private final Path staging;
  private final Set<Tag> beingWritten = ConcurrentHashMap.newKeySet();

  private Store(Path root) {
    this.root = root;
    this.staging = root.resolve(STAGING);
  }

  public static Store open(Path dataDir) {
    Store store = new Store(dataDir.resolve("snapshots"));
    try {
      Files.createDirectories(store.root);
      Folders.deleteIfThere(store.staging);
      Files.createDirectories(store.staging);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot prepare %s: %s".formatted(store.root, e.getMessage()), e);
    }
    return store;
  }

  /** The snapshots that can be read. */
  public List<StoredSnapshot> list() {
    List<StoredSnapshot> found = new ArrayList<>();
    for (Path dir : folders()) {
      try {
        found.add(new StoredSnapshot(dir, ManifestFile.read(dir)));
      } catch (ForkdException e) {
        // Told by damaged().
      }
    }
    return found;
  }

  /** The snapshots that cannot be read; they hold their tags until they are removed. */
  public List<DamagedSnapshot> damaged() {
    List<DamagedSnapshot> found = new ArrayList<>();
    for (Path dir : folders()) {
      try {
        ManifestFile.read(dir);
      } catch (ForkdException e) {
        Tag tag = Tag.of(dir.getFileName().toString());
        found.add(new DamagedSnapshot(tag, dir, String.valueOf(e.getMessage())));
      }
    }
    return found;
  }

  private List<Path> folders() {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .filter(entry -> Tag.isValid(entry.getFileName().toString()))
          .filter(Files::isDirectory)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new ForkdException(ErrorCode.HOST_FAILED, "cannot list " + root, e);
    }
  }

  public StoredSnapshot get(Tag tag) {
    Path dir = dir(tag);
    if (!Files.isDirectory(dir)) {
      throw notFound(tag);
    }
    return new StoredSnapshot(dir, ManifestFile.read(dir));
  }

  public boolean exists(Tag tag) {
    return Files.isDirectory(dir(tag));
  }

  public boolean isBeingWritten(Tag tag) {
    return beingWritten.contains(tag);
  }

  /**
   * Reserves a tag and a folder to write its snapshot in; close the writer without commit to give
   * both back.
   */
  public SnapshotWriter begin(Tag tag) {
    if (!beingWritten.add(tag)) {
      throw ForkdException.conflict(
          "snapshot %s is being made by another request: wait for it, or use another tag.", tag);
    }
    try {
      if (Files.exists(dir(tag))) {
        throw ForkdException.conflict(
            "snapshot %s exists: remove it with `forkd rmi %s` first, or use another tag.",
            tag, tag);
      }
      Path dir = freshStaging(tag.value());
      return new SnapshotWriter(tag, dir, root, () -> beingWritten.remove(tag));
    } catch (RuntimeException e) {
      beingWritten.remove(tag);
      throw e instanceof LinuxException trouble ? SnapshotWriter.explained(tag, root, trouble) : e;
    }
  }

  /** Removes a snapshot. Children that run from it keep what they have mapped. */
  public void remove(Tag tag) {
    Path dir = dir(tag);
    if (!Files.isDirectory(dir)) {
      throw notFound(tag);
    }
    Path doomed = staging.resolve(tag + "-removed-" + randomSuffix());
    try {
      Files.move(dir, doomed);
      HostFiles.syncDirectory(root);
      Folders.deleteIfThere(doomed);
    } catch (NoSuchFileException e) {
      throw notFound(tag); // another request was faster
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot remove %s: %s".formatted(dir, e.getMessage()), e);
    }
  }

  private static ForkdException notFound(Tag tag) {
    return ForkdException.notFound("no snapshot has the tag %s: `forkd images` lists them.", tag);
  }

  private Path freshStaging(String name) {
    Path dir = staging.resolve(name + "-" + randomSuffix());
    HostFiles.mkdir(dir, 0755);
    return dir;
  }

  private Path dir(Tag tag) {
    return root.resolve(tag.value());
  }

  private static String randomSuffix() {
    return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
  }
}
