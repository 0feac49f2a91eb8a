package io.forkd.linux;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Where a process is started, apart from this one.
 *
 * @param network the network namespace it joins, when it is not this process's
 * @param fresh the kinds it gets a new one of
 */
public record Namespaces(Optional<Netns> network, Set<Kind> fresh) {
  /** A kind of namespace that can be had new. */
  public enum Kind {
    /** Its mounts: it follows those of the host, and no named network namespace is among them. */
    MOUNT(NamespaceCalls.CLONE_NEWNS),
    /** Shared memory and message queues of System V and POSIX. */
    IPC(NamespaceCalls.CLONE_NEWIPC),
    /** The host's name. */
    UTS(NamespaceCalls.CLONE_NEWUTS);

    private final int flag;

    Kind(int flag) {
      this.flag = flag;
    }
  }

  /** All kinds fresh, in this process's network. */
  public static final Namespaces FRESH = new Namespaces(Optional.empty(), Set.of(Kind.values()));

  private static final Path ROOT = Path.of("/");

  public Namespaces {
    fresh = Set.copyOf(fresh);
  }

  public Namespaces inNetwork(Netns netns) {
    return new Namespaces(Optional.of(netns), fresh);
  }

  /** Only a network namespace; all else is shared with this process. */
  public static Namespaces of(Netns netns) {
    return new Namespaces(Optional.of(netns), Set.of());
  }

  /** Whether this process may make fresh namespaces of all kinds. */
  public static Probe probe() {
    try {
      FRESH.call(() -> true);
      return Probe.yes("processes can be started in namespaces of their own");
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }

  <T> T call(Inside<T> work) {
    try {
      return Elsewhere.call(this::enter, work);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void enter() {
    network.ifPresent(Netns::enter);
    int flags = fresh.stream().mapToInt(kind -> kind.flag).reduce(0, (a, b) -> a | b);
    if (flags != 0) {
      NamespaceCalls.unshare(flags);
    }
    if (fresh.contains(Kind.MOUNT)) {
      // Slave, so that what the host unmounts is not held by processes that never used it.
      long slave = NamespaceCalls.MS_SLAVE | NamespaceCalls.MS_REC;
      int result = NamespaceCalls.tryPropagation(ROOT, slave);
      if (result < 0) {
        throw new LinuxException("mount", List.of("/", "MS_SLAVE"), -result);
      }
      // Otherwise each process would hold the network namespaces of all others.
      NamespaceCalls.tryUnmount(Netns.FOLDER);
    }
  }
}
