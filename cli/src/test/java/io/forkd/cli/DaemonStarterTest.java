package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DaemonStarterTest {
  @Test
  void aDaemonThatDiesIsExplainedByItsLastWords() throws IOException {
    try (TestContext test = new TestContext();
        Steps steps = new Steps(test.with(Map.of()).terminal())) {
      Context context = test.with(Map.of());
      Files.createDirectories(context.locations().log().resolveSibling(""));
      Files.writeString(context.locations().log(), "from an earlier life\n");
      DaemonStarter starter =
          new DaemonStarter(
              context,
              DaemonStarter.USUAL,
              options -> List.of("sh", "-c", "echo the disk is on fire; exit 7"));

      assertThatThrownBy(() -> starter.start(List.of(), steps))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("exit code 7")
          .hasMessageContaining("the disk is on fire")
          .hasMessageNotContaining("earlier life");
    }
  }

  @Test
  void fourCommandsAtOnceStartOneDaemonThatIsItsOwnSession() throws Exception {
    try (TestContext test = new TestContext()) {
      Context context = test.with(Map.of());
      Path pids = test.folder.resolve("pids");
      DaemonStarter starter =
          new DaemonStarter(
              context,
              DaemonStarter.USUAL,
              options ->
                  List.of(
                      Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                      "-cp",
                      System.getProperty("java.class.path"),
                      "io.forkd.cli.FakeDaemonProcess",
                      test.socket().toString(),
                      pids.toString()));
      List<Boolean> started = Collections.synchronizedList(new ArrayList<>());
      List<Thread> commands = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        commands.add(
            Thread.ofPlatform()
                .start(
                    () -> {
                      try (Steps steps = new Steps(context.terminal())) {
                        started.add(starter.start(List.of(), steps));
                      }
                    }));
      }
      for (Thread command : commands) {
        command.join();
      }
      List<String> lines = Files.readAllLines(pids);
      ProcessHandle daemon = ProcessHandle.of(Long.parseLong(lines.getFirst())).orElseThrow();
      try {
        assertThat(started).containsExactlyInAnyOrder(true, false, false, false);
        assertThat(lines).hasSize(1);
        assertThat(session(daemon.pid())).isEqualTo(daemon.pid());
      } finally {
        daemon.destroyForcibly();
        daemon.onExit().join();
      }
    }
  }

  private static long session(long pid) {
    String stat = Host.read("/proc/" + pid + "/stat").orElseThrow();
    return Long.parseLong(stat.substring(stat.lastIndexOf(')') + 2).split(" ")[3]);
  }
}
