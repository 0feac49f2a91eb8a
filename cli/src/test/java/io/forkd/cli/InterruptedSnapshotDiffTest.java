package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class InterruptedSnapshotDiffTest {
  private static final String SANDBOX = "/v1/sandboxes/sb-0123456789-0000";

  private final CountDownLatch commandRuns = new CountDownLatch(1);

  @Test
  void aCommandThatIsInterruptedEndsItsChildOnTheWayOut() throws Exception {
    try (TestContext test = new TestContext();
        FakeDaemon daemon = FakeDaemon.startOn(test.socket(), this::answer)) {
      ProcessBuilder builder =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  "io.forkd.cli.Main",
                  "snapshot-diff",
                  "--from",
                  "base",
                  "--tag",
                  "new",
                  "--exec",
                  "sleep 600")
              .redirectErrorStream(true)
              .redirectOutput(test.folder.resolve("output").toFile());
      builder.environment().put("FORKD_URL", "unix://" + test.socket());
      Process command = builder.start();
      try {
        commandRuns.await();
        command.destroy();
        command.waitFor();
      } finally {
        command.destroyForcibly();
      }

      assertThat(daemon.requests())
          .extracting(request -> request.method() + " " + request.path())
          .contains("DELETE " + SANDBOX)
          .doesNotContain("POST " + SANDBOX + "/branch");
    }
  }

  private boolean answer(FakeDaemon.Request request, OutputStream out) throws IOException {
    if (request.path().equals(SANDBOX + "/exec")) {
      commandRuns.countDown();
      return true;
    }
    String body =
        switch (request.path()) {
          case "/v1/snapshots" -> "[]";
          case "/v1/sandboxes" -> "[{\"id\":\"sb-0123456789-0000\"}]";
          default -> "{\"ok\":true}";
        };
    out.write(FakeDaemon.reply(200, "", body).getBytes(UTF_8));
    return true;
  }
}
