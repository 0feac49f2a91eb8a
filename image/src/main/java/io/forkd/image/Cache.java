package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A folder of finished things: each is made in {@code work/} under a lock and renamed into place.
 *
 * <p>Two locks guard one entry, taken in this order: a {@link ReentrantLock} against threads of
 * this JVM (file locks are owned by the whole JVM) and a file lock against other processes. A
 * process that dies frees its file lock, and whoever takes it next deletes what was half made.
 */
final class Cache {
  private static final ConcurrentHashMap<Path, ReentrantLock> THREADS = new ConcurrentHashMap<>();

  private static final String UNNAMED = "new-";

  private final Path root;

  Cache(Path root) {
    this.root = root.toAbsolutePath().normalize();
    try {
      for (String name : List.of("kernels", "initrds", "roots", "disks", "locks", "work")) {
        Files.createDirectories(this.root.resolve(name));
      }
      removeLeftovers();
    } catch (IOException e) {
      throw failure("open the image cache", e);
    }
  }

  /** Fills a new folder with an entry's content. */
  interface Maker {
    void make(Path folder) throws IOException;
  }

  /** Fills a new folder and says under which name it is to be kept. */
  interface Namer {
    String make(Path folder) throws IOException;
  }

  Path path(String kind, String key) {
    return root.resolve(kind).resolve(key);
  }

  Optional<Path> find(String kind, String key) {
    return Optional.of(path(kind, key)).filter(Files::isDirectory);
  }

  List<Path> list(String kind) {
    try (Stream<Path> entries = Files.list(root.resolve(kind))) {
      return entries.filter(Files::isDirectory).sorted().toList();
    } catch (IOException e) {
      throw failure("list the image cache", e);
    }
  }

  /** The entry of that name, made now when it is not there. */
  Path obtain(String kind, String key, Maker maker) {
    Optional<Path> there = find(kind, key);
    if (there.isPresent()) {
      return there.get();
    }
    String name = kind + "-" + key;
    try (Hold _ = lock(name)) {
      Path entry = path(kind, key);
      if (!Files.isDirectory(entry)) {
        Path work = freshWork(name);
        try {
          maker.make(work);
          publish(work, entry);
        } finally {
          Trees.delete(work);
        }
      }
      return entry;
    } catch (IOException e) {
      throw failure("make " + name, e);
    } catch (ForkdException e) {
      throw located(e);
    }
  }

  /** Makes an entry whose name is known only when it is made. */
  Path add(String kind, Namer namer) {
    String name = UNNAMED + UUID.randomUUID();
    try (Hold _ = lock(name)) {
      Path work = freshWork(name);
      try {
        Path entry = path(kind, namer.make(work));
        publish(work, entry);
        return entry;
      } finally {
        Trees.delete(work);
        // Nobody else can know this name, so nobody waits for its lock.
        Files.deleteIfExists(root.resolve("locks").resolve(name));
        THREADS.remove(root.resolve("locks").resolve(name));
      }
    } catch (IOException e) {
      throw failure("add to " + kind, e);
    } catch (ForkdException e) {
      throw located(e);
    }
  }

  private Path freshWork(String name) throws IOException {
    Path work = root.resolve("work").resolve(name);
    Trees.delete(work);
    return Files.createDirectory(work);
  }

  private static void publish(Path work, Path entry) throws IOException {
    // Renamed but not yet written files would be empty after a power cut.
    Command.of(Tool.SYNC, "-f", work).within(Duration.ofMinutes(10)).run();
    try {
      Files.move(work, entry, StandardCopyOption.ATOMIC_MOVE);
    } catch (FileSystemException e) {
      // Named by content: what is there already is the same.
      if (!Files.isDirectory(entry)) {
        throw e;
      }
    }
  }

  private void removeLeftovers() throws IOException {
    try (Stream<Path> entries = Files.list(root.resolve("work"))) {
      for (Path work : entries.toList()) {
        String name = work.getFileName().toString();
        try (Hold hold = tryLock(name)) {
          if (hold != null) {
            Trees.delete(work);
            if (name.startsWith(UNNAMED)) {
              Files.deleteIfExists(root.resolve("locks").resolve(name));
            }
          }
        }
      }
    }
  }

  private Hold lock(String name) throws IOException {
    Path file = root.resolve("locks").resolve(name);
    ReentrantLock threads = THREADS.computeIfAbsent(file, key -> new ReentrantLock());
    threads.lock();
    try {
      FileChannel channel = open(file);
      return new Hold(threads, channel, channel.lock());
    } catch (IOException | RuntimeException e) {
      threads.unlock();
      throw e;
    }
  }

  private @Nullable Hold tryLock(String name) throws IOException {
    Path file = root.resolve("locks").resolve(name);
    ReentrantLock threads = THREADS.computeIfAbsent(file, key -> new ReentrantLock());
    if (!threads.tryLock()) {
      return null;
    }
    try {
      FileChannel channel = open(file);
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new Hold(threads, channel, lock);
      }
      channel.close();
      threads.unlock();
      return null;
    } catch (IOException | RuntimeException e) {
      threads.unlock();
      throw e;
    }
  }

  private static FileChannel open(Path file) throws IOException {
    return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  /** A tool that ran out of space does not say where; the user must know which disk to free. */
  private ForkdException located(ForkdException e) {
    return e.code() == ErrorCode.FULL
        ? new ForkdException(
            e.code(), "%s The image cache is %s.".formatted(e.getMessage(), root), e)
        : e;
  }

  private ForkdException failure(String what, IOException e) {
    String reason = e.toString();
    boolean full = reason.contains("No space left on device");
    return new ForkdException(
        full ? ErrorCode.FULL : ErrorCode.HOST_FAILED,
        "Could not %s in %s: %s%s"
            .formatted(what, root, reason, full ? ". Next: free disk space and try again." : ""),
        e);
  }

  /** Both locks of one entry, held until closed. */
  private record Hold(ReentrantLock threads, FileChannel channel, FileLock file)
      implements AutoCloseable {
    @Override
    public void close() throws IOException {
      try {
        channel.close();
      } finally {
        threads.unlock();
      }
    }
  }
}
