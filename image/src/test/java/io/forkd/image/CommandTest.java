package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CommandTest {
  @Test
  void whatAProgramPrintsIsReturned() {
    assertThat(sh("echo out; echo err >&2").run()).isEqualTo("out\n");
    assertThat(sh("echo $FOO").env("FOO", "bar").run()).isEqualTo("bar\n");
  }

  @Test
  void aFailureShowsTheStatusAndTheLastLines() {
    assertThatThrownBy(() -> sh("seq 1 100 >&2; exit 3").run())
        .hasMessageStartingWith("sh ended with status 3. Its last lines:\n89\n")
        .hasMessageEndingWith("\n100")
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOST_FAILED));
  }

  @Test
  void aFullDiskIsToldFromOtherFailures() {
    assertThatThrownBy(() -> sh("echo 'write: No space left on device' >&2; exit 1").run())
        .hasMessageContaining("Next: free disk space")
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL));
  }

  @Test
  void aProgramThatTakesTooLongIsKilledWithItsChildren(@TempDir Path folder) throws Exception {
    Command slow = sh("sleep 1000 & echo $! > pid; wait").in(folder).within(Duration.ofSeconds(1));

    assertThatThrownBy(slow::run).hasMessageContaining("sh did not end within 1 s");

    assertDead(folder.resolve("pid"));
  }

  @Test
  void aGuardedProgramEndsAsUsualAndItsStatusIsKept() {
    assertThat(sh("echo out").guarded().run()).isEqualTo("out\n");
    assertThatThrownBy(() -> sh("exit 7").guarded().run()).hasMessageContaining("status 7");
  }

  @Test
  void aGuardedProgramDiesWithTheProcessThatStartedIt(@TempDir Path folder) throws Exception {
    Process victim = OtherProcess.start(Starter.class, folder.toString());
    OtherProcess.awaitFile(folder.resolve("pid"));

    victim.destroyForcibly().waitFor();

    assertDead(folder.resolve("pid"));
  }

  /** Runs a guarded program for longer than any test. */
  static final class Starter {
    private Starter() {}

    public static void main(String[] args) {
      sh("echo $$ > pid.new; mv pid.new pid; exec sleep 1000")
          .in(Path.of(args[0]))
          .within(Duration.ofMinutes(10))
          .guarded()
          .run();
    }
  }

  @Test
  void endlessOutputIsCutToItsEnd() throws Exception {
    byte[] flood = new byte[300_000];
    flood[flood.length - 1] = 42;

    byte[] kept = TailReader.start(new ByteArrayInputStream(flood), 1000).join();

    assertThat(kept).hasSize(1000).endsWith(42);
  }

  private static void assertDead(Path pidFile) throws Exception {
    long pid = Long.parseLong(Files.readString(pidFile).strip());
    OtherProcess.await(() -> ProcessHandle.of(pid).filter(ProcessHandle::isAlive).isEmpty());
  }

  private static Command sh(String script) {
    return Command.of(Tool.SH, "-c", script);
  }
}
