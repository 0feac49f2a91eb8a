package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A network namespace of this host that a file stands for, such as those that {@code ip netns}
 * shows.
 */
public record Netns(Path path) {
  /** Where {@code ip netns} looks for them. */
  public static final Path FOLDER = Path.of("/run/netns");

  private static final Path OWN = Path.of("/proc/thread-self/ns/net");

  public static Netns named(String name) {
    return new Netns(FOLDER.resolve(name));
  }

  /** The names of all that {@code ip netns} shows, and of files left by a crash. */
  public static List<String> names() {
    if (!Files.isDirectory(FOLDER)) {
      return List.of();
    }
    try (Stream<Path> entries = Files.list(FOLDER)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes a new one, in which there is nothing but a loopback interface that is down. */
  public static Netns create(String name) {
    Netns made = named(name);
    try {
      prepareFolder();
      Files.createFile(made.path);
      Elsewhere.call(
          () -> NamespaceCalls.unshare(NamespaceCalls.CLONE_NEWNET),
          () -> {
            NamespaceCalls.bindMount(OWN, made.path, 0);
            return made;
          });
      return made;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (LinuxException e) {
      made.delete();
      throw e;
    }
  }

  /** Gives the network namespace of a process a name, in place of whatever had it. */
  public static Netns restore(String name, long pid) {
    Netns restored = named(name);
    restored.delete();
    try {
      prepareFolder();
      Files.createFile(restored.path);
      NamespaceCalls.bindMount(Path.of("/proc/%d/ns/net".formatted(pid)), restored.path, 0);
      return restored;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (LinuxException e) {
      restored.delete();
      throw e;
    }
  }

  /** Whether a process of that number is in the network of this process, or there is none. */
  public static boolean isOwnOf(long pid) {
    try {
      Path theirs = Files.readSymbolicLink(Path.of("/proc/%d/ns/net".formatted(pid)));
      return theirs.equals(Files.readSymbolicLink(OWN));
    } catch (IOException e) {
      return true;
    }
  }

  /** Mounts below the folder must reach other mount namespaces, as {@code ip netns} arranges. */
  private static void prepareFolder() throws IOException {
    Files.createDirectories(FOLDER);
    long shared = NamespaceCalls.MS_SHARED | NamespaceCalls.MS_REC;
    int result = NamespaceCalls.tryPropagation(FOLDER, shared);
    if (Errno.of(-result) == Errno.EINVAL) {
      NamespaceCalls.bindMount(FOLDER, FOLDER, NamespaceCalls.MS_REC);
      result = NamespaceCalls.tryPropagation(FOLDER, shared);
    }
    if (result < 0) {
      throw new LinuxException("mount", List.of(FOLDER.toString(), "MS_SHARED"), -result);
    }
  }

  /** Whether the file stands for a namespace; one left by a reboot does not. */
  public boolean alive() {
    return Files.exists(path) && FileSystemInfo.of(path).type().equals("nsfs");
  }

  /** Does short work on a thread of its own in this namespace. */
  public <T> T call(Inside<T> work) throws IOException {
    return Elsewhere.call(this::enter, work);
  }

  /** Moves the calling thread; it must end without returning to whoever started it. */
  void enter() {
    try (Fd namespace = Fd.owning(FileCalls.open(path.toString(), OpenFlag.CLOEXEC, 0))) {
      NamespaceCalls.setns(namespace, NamespaceCalls.CLONE_NEWNET, path);
    }
  }

  /** Removes its name; the namespace goes when no process and no socket is left in it. */
  public void delete() {
    NamespaceCalls.tryUnmount(path);
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
