package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/**
 * The notes about announced snapshots, in memory and, to outlive the daemon, one file each. A note
 * belongs to the writer of its tag; once that is closed, to the store.
 */
final class PendingNotes {
  private static final String SUFFIX = ".json";

  private final Path dir;
  private final SnapshotFolders folders;
  private final Map<Tag, Pending> notes = new ConcurrentHashMap<>();

  PendingNotes(Path dir, SnapshotFolders folders) {
    this.dir = dir;
    this.folders = folders;
  }

  /** Reads what an earlier daemon left: it is on disk by now, or has failed. */
  void load() {
    try {
      Files.createDirectories(dir);
      for (Path file : files()) {
        Optional<Tag> tag = tagOf(file);
        if (tag.isPresent() && folders.exists(tag.get())) {
          Files.deleteIfExists(file);
        } else if (tag.isPresent()) {
          notes.put(tag.get(), read(tag.get(), file));
        }
      }
    } catch (IOException e) {
      throw Refusals.unprepared(dir, e);
    }
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> entries = Files.list(dir)) {
      return entries.toList();
    }
  }

  private static Optional<Tag> tagOf(Path file) {
    String name = file.getFileName().toString();
    if (!name.endsWith(SUFFIX)) {
      return Optional.empty();
    }
    String tag = name.substring(0, name.length() - SUFFIX.length());
    return Tag.isValid(tag) ? Optional.of(Tag.of(tag)) : Optional.empty();
  }

  private static Pending read(Tag tag, Path file) {
    try {
      // A file that says null is read as null.
      @Nullable Pending note = StoreJson.MAPPER.readValue(Files.readAllBytes(file), Pending.class);
      if (note != null && note.tag().equals(tag)) {
        return note.state() == Pending.State.FAILED
            ? note
            : note.failed("the daemon ended while it was being written");
      }
    } catch (IOException | JacksonException | ForkdException e) {
      // Told below: the tag is all that is known.
    }
    return Pending.writing(
            tag, 0, 0, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty())
        .failed("it was given up, and the note about it in %s cannot be read".formatted(file));
  }

  Optional<Pending> find(Tag tag) {
    return Optional.ofNullable(notes.get(tag));
  }

  List<Pending> all() {
    return notes.values().stream().sorted(Comparator.comparing(Pending::tag)).toList();
  }

  /** Makes a note of a snapshot that is being written. */
  void announce(Pending note) {
    try {
      write(note);
      notes.put(note.tag(), note);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "cannot write %s: %s".formatted(file(note.tag()), e.getMessage()),
          e);
    }
  }

  /** Turns a note, if there is one, into one of a failure. */
  void fail(Tag tag, String reason) {
    Pending note = notes.computeIfPresent(tag, (key, old) -> old.failed(reason));
    if (note == null) {
      return;
    }
    try {
      write(note);
    } catch (IOException | LinuxException e) {
      // A full disk, likely. The file goes on to say that it is being written, and the next load
      // knows that it is not.
    }
  }

  private void write(Pending note) throws IOException {
    Path fresh = folders.freshName(note.tag(), "note");
    try (Fd file = HostFiles.create(fresh, 0644)) {
      FileIo.pwrite(file, ByteBuffer.wrap(StoreJson.MAPPER.writeValueAsBytes(note)), 0);
      FileIo.sync(file);
      Files.move(fresh, file(note.tag()), StandardCopyOption.ATOMIC_MOVE);
      HostFiles.syncDirectory(dir);
    } finally {
      Files.deleteIfExists(fresh);
    }
  }

  /** Forgets the note of a failure. */
  void remove(Tag tag) {
    try {
      Files.deleteIfExists(file(tag));
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot remove %s: %s".formatted(file(tag), e.getMessage()), e);
    }
    notes.remove(tag);
    HostFiles.syncDirectory(dir);
  }

  /** Forgets the note of a snapshot that is on disk now. */
  void settle(Tag tag) {
    if (notes.remove(tag) != null) {
      try {
        Files.deleteIfExists(file(tag));
      } catch (IOException e) {
        // The next load deletes it, for the snapshot is there.
      }
    }
  }

  private Path file(Tag tag) {
    return dir.resolve(tag + SUFFIX);
  }
}
