package io.forkd.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/** Something a daemon that died has left behind. */
sealed interface Leftover {
  String kind();

  String what();

  /** Removes it; the reason when that fails. */
  Optional<String> remove();

  /**
   * A VMM that still runs.
   *
   * @param startTime when it started, in the kernel's ticks since boot: another process that got
   *     the same id later is not it
   */
  record Vmm(String id, long pid, long startTime) implements Leftover {
    @Override
    public String kind() {
      return "process";
    }

    @Override
    public String what() {
      return "%d (sandbox %s)".formatted(pid, id);
    }

    @Override
    public Optional<String> remove() {
      Optional<ProcessHandle> process = ProcessHandle.of(pid);
      if (process.isEmpty() || Leftovers.startTime(pid).orElse(-1L) != startTime) {
        return Optional.empty();
      }
      process.get().destroyForcibly();
      try {
        process.get().onExit().get(10, TimeUnit.SECONDS);
        return Optional.empty();
      } catch (ExecutionException | TimeoutException e) {
        return Optional.of("still runs 10 s after SIGKILL");
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.of("interrupted");
      }
    }
  }

  /** A control group, removed with the groups in it. */
  record Cgroup(Path folder) implements Leftover {
    @Override
    public String kind() {
      return "cgroup";
    }

    @Override
    public String what() {
      return folder.toString();
    }

    @Override
    public Optional<String> remove() {
      try (Stream<Path> tree = Files.walk(folder)) {
        // The files in a cgroup are the kernel's and go with their folder.
        List<Path> folders =
            tree.filter(Files::isDirectory).sorted(Comparator.reverseOrder()).toList();
        for (Path each : folders) {
          Files.delete(each);
        }
        return Optional.empty();
      } catch (IOException e) {
        return Optional.of(e.toString());
      }
    }
  }

  /** A file or folder, removed with all in it. */
  record Tree(String kind, Path path) implements Leftover {
    @Override
    public String what() {
      return path.toString();
    }

    @Override
    public Optional<String> remove() {
      try (Stream<Path> tree = Files.walk(path)) {
        for (Path each : tree.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(each);
        }
        return Optional.empty();
      } catch (IOException e) {
        return Optional.of(e.toString());
      }
    }
  }
}
