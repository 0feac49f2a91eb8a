package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.guest.Agent;
import io.forkd.guest.GuestFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Real agents that serve on this machine as ordinary processes, one for each sandbox whose inside
 * is asked for. What runs in such a guest runs on this host as the user of the tests, and its files
 * are the host's: tests keep to their own temporary folders.
 */
final class HostGuests implements AutoCloseable {
  private final Map<SandboxId, Guest> guests = new ConcurrentHashMap<>();
  private final Set<SandboxId> dead = ConcurrentHashMap.newKeySet();

  private record Guest(Path folder, Process process, Agent agent) {
    static Guest start(SandboxId id) {
      try {
        Path folder = Files.createTempDirectory(Path.of("/tmp"), "forkd-guest");
        Path binary = Files.write(folder.resolve("forkd-agent"), GuestFiles.agentBinary());
        binary.toFile().setExecutable(true);
        Path run = Files.createDirectory(folder.resolve("run"));
        for (var runtime : GuestFiles.runtimes().entrySet()) {
          Files.write(run.resolve(runtime.getKey()), runtime.getValue());
        }
        Path socket = folder.resolve("s");
        Process process =
            new ProcessBuilder(
                    binary.toString(), "--socket", socket.toString(), "--run", run.toString())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("log").toFile())
                .start();
        return new Guest(folder, process, open(socket, process));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted while " + id + " started", e);
      }
    }

    /** A socket that is there is not listened to yet. */
    private static Agent open(Path socket, Process process) throws InterruptedException {
      while (true) {
        try {
          return Agent.open(socket);
        } catch (ForkdException e) {
          if (!process.isAlive()) {
            throw e;
          }
          Thread.sleep(5);
        }
      }
    }

    void end() {
      agent.close();
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      try {
        Folders.deleteIfThere(folder);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Has a sandbox's guest fail whatever it is asked. */
  void refuse(SandboxId id) {
    dead.add(id);
  }

  Agent agent(SandboxId id) {
    if (dead.contains(id)) {
      throw new ForkdException(ErrorCode.GUEST_FAILED, "The guest does not answer.");
    }
    return guests.computeIfAbsent(id, Guest::start).agent();
  }

  /** Ends a sandbox's guest as a VMM that dies does: its calls fail. */
  void end(SandboxId id) {
    Guest guest = guests.remove(id);
    if (guest != null) {
      guest.end();
    }
  }

  @Override
  public void close() {
    guests.keySet().forEach(this::end);
  }
}
