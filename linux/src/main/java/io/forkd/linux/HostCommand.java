package io.forkd.linux;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A short program of the host that is fed a text and answers with one. */
public final class HostCommand {
  private static final int LONGEST_OUTPUT = 1 << 20;
  private static final Duration AT_MOST = Duration.ofSeconds(30);

  /**
   * How it went.
   *
   * @param text what it printed to either stream, its beginning when that is very long
   */
  public record Output(ExitStatus status, String text) {
    public boolean success() {
      return status.success();
    }
  }

  private HostCommand() {}

  /**
   * Runs it to its end.
   *
   * @param where the network it runs in, when that is not this process's
   */
  public static Output run(
      Path program, List<String> arguments, String input, Optional<Netns> where) {
    byte[] bytes = input.getBytes(StandardCharsets.UTF_8);
    try (Memfd in = Memfd.create("input", bytes.length);
        Memfd out = Memfd.create("output", 0)) {
      FileIo.pwrite(in.fd(), ByteBuffer.wrap(bytes), 0);
      Spawn spawn =
          Spawn.of(program, arguments)
              .environment(Map.of("LC_ALL", "C", "PATH", "/usr/sbin:/usr/bin:/sbin:/bin"))
              .input(in.fd())
              .output(out.fd());
      where.map(Namespaces::of).ifPresent(spawn::in);
      ExitStatus status = end(spawn.start());
      return new Output(
          status, new String(FileIo.read(out.fd(), 0, LONGEST_OUTPUT), StandardCharsets.UTF_8));
    }
  }

  private static ExitStatus end(Child child) {
    try {
      Optional<ExitStatus> status = child.waitFor(AT_MOST);
      if (status.isPresent()) {
        return status.get();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    child.kill(Signal.KILL);
    return child.exit().join();
  }
}
