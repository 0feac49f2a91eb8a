package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;

/** The folders of a store: one for each snapshot, and one for what is none yet or no more. */
final class SnapshotFolders {
  private final Path root;
  private final Path staging;
  private final KnownManifests manifests = new KnownManifests();

  SnapshotFolders(Path root) {
    this.root = root;
    this.staging = root.resolve(".staging");
  }

  void prepare() {
    try {
      Files.createDirectories(root);
      Folders.deleteIfThere(staging);
      Files.createDirectories(staging);
    } catch (IOException e) {
      throw Refusals.unprepared(root, e);
    }
  }

  Path root() {
    return root;
  }

  boolean exists(Tag tag) {
    return Files.isDirectory(dir(tag));
  }

  /** Whether anything has the tag's name, be it a snapshot or not. */
  boolean isTaken(Tag tag) {
    return Files.exists(dir(tag));
  }

  /** The snapshot, unless there is none; one that is damaged is refused. */
  Optional<StoredSnapshot> find(Tag tag) {
    Path dir = dir(tag);
    try {
      return exists(tag)
          ? Optional.of(new StoredSnapshot(dir, manifests.read(tag, dir)))
          : Optional.empty();
    } catch (ForkdException e) {
      if (exists(tag)) {
        throw e;
      }
      return Optional.empty(); // removed meanwhile
    }
  }

  /** Everything, reading each manifest once. */
  Listing look(List<Pending> pending) {
    List<StoredSnapshot> snapshots = new ArrayList<>();
    List<DamagedSnapshot> damaged = new ArrayList<>();
    List<Tag> tags = tags();
    manifests.keepOnly(new HashSet<>(tags));
    for (Tag tag : tags) {
      try {
        find(tag).ifPresent(snapshots::add);
      } catch (ForkdException e) {
        damaged.add(new DamagedSnapshot(tag, dir(tag), String.valueOf(e.getMessage())));
      }
    }
    return new Listing(
        snapshots, damaged, pending.stream().filter(note -> !exists(note.tag())).toList());
  }

  private List<Tag> tags() {
    try (Stream<Path> entries = Files.list(root)) {
      return entries
          .filter(entry -> Tag.isValid(entry.getFileName().toString()))
          .filter(Files::isDirectory)
          .map(entry -> Tag.of(entry.getFileName().toString()))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new ForkdException(ErrorCode.HOST_FAILED, "cannot list " + root, e);
    }
  }

  /** A name in the staging folder that nobody else has. */
  Path freshName(Tag tag, String what) {
    String random = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong(), 8);
    return staging.resolve("%s-%s-%s".formatted(tag, what, random));
  }

  /** A folder to write a snapshot in. */
  Path freshFolder(Tag tag) {
    Path dir = freshName(tag, "written");
    HostFiles.mkdir(dir, 0755);
    return dir;
  }

  /** Gives a whole folder its tag's name. */
  StoredSnapshot publish(Path written, Manifest manifest) {
    Path dir = dir(manifest.tag());
    try {
      Files.move(written, dir, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw ForkdException.conflict(
          "snapshot %s could not be moved to %s: %s", manifest.tag(), dir, e.getMessage());
    }
    return new StoredSnapshot(dir, manifest);
  }

  /** Takes a snapshot's folder away from everybody's eyes; to where is returned. */
  Path hide(Tag tag) {
    Path hidden = freshName(tag, "removed");
    try {
      return Files.move(dir(tag), hidden, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw cannotRemove(dir(tag), e);
    }
  }

  /** Deletes hidden folders for good. */
  void delete(List<Path> hidden) {
    if (hidden.isEmpty()) {
      return;
    }
    try {
      sync();
      for (Path each : hidden) {
        Folders.deleteIfThere(each);
      }
    } catch (IOException | LinuxException e) {
      throw cannotRemove(staging, e);
    }
  }

  private static ForkdException cannotRemove(Path path, Exception e) {
    return new ForkdException(
        ErrorCode.HOST_FAILED, "cannot remove %s: %s".formatted(path, e.getMessage()), e);
  }

  /** Makes the renames so far survive a power cut. */
  void sync() {
    HostFiles.syncDirectory(root);
  }

  private Path dir(Tag tag) {
    return root.resolve(tag.value());
  }
}
