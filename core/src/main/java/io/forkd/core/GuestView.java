package io.forkd.core;

import io.forkd.guest.Agent;
import io.forkd.guest.GuestEntry;
import io.forkd.guest.GuestProcess;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/** What a guest says of its files and processes when it is compared with another. */
interface GuestView {
  /** What was written since it booted, and what of its image is gone. */
  List<GuestEntry> changedFiles();

  /** Every file, whether it was written or not. */
  List<GuestEntry> allFiles();

  /** What is at these paths; those where nothing is are left out. */
  List<GuestEntry> describe(List<String> paths);

  /** The content of a regular file of at most {@code most} bytes. */
  byte[] read(String path, long most);

  List<GuestProcess> processes();

  /**
   * The view through an agent.
   *
   * @param timeout for all that is asked, from now on
   */
  static GuestView of(Agent agent, Duration timeout) {
    long end = System.nanoTime() + timeout.toNanos();
    return new ThroughAgent(agent, () -> Duration.ofNanos(end - System.nanoTime()));
  }

  /** A guest seen through its agent, for as long as there is time left. */
  record ThroughAgent(Agent agent, Supplier<Duration> left) implements GuestView {
    @Override
    public List<GuestEntry> changedFiles() {
      return agent.changedFiles(left.get());
    }

    @Override
    public List<GuestEntry> allFiles() {
      return agent.allFiles(left.get());
    }

    @Override
    public List<GuestEntry> describe(List<String> paths) {
      return agent.describe(paths, left.get());
    }

    @Override
    public byte[] read(String path, long most) {
      return agent.readFile(path, most, left.get());
    }

    @Override
    public List<GuestProcess> processes() {
      return agent.processes(left.get());
    }
  }
}
