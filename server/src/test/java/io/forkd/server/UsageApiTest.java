package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class UsageApiTest {
  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void tellsWhatEachSandboxUses() throws IOException {
    String id = server.fork();
    String use =
        """
        {"id":"%s","state":"running","cpu_ms":1.5,"private_bytes":4194304,
         "shared_bytes":67108864,"threads":3,"oom_kills":0}\
        """
            .formatted(id);
    assertThat(server.get("/v1/sandboxes/usage").json()).isEqualTo(Answer.parse("[" + use + "]"));
    assertThat(server.get("/v1/sandboxes/%s/usage".formatted(id)).json())
        .isEqualTo(Answer.parse(use));
  }

  @Test
  void knowsNothingOfASandboxThatIsNotThere() throws IOException {
    assertThat(server.get("/v1/sandboxes/sb-00000000-0001/usage").status()).isEqualTo(404);
    assertThat(server.get("/v1/sandboxes/x/usage").status()).isEqualTo(400);
  }

  @Test
  void tellsHowFullTheDaemonIs() throws IOException {
    assertThat(server.get("/v1/capacity").json())
        .isEqualTo(
            Answer.parse(
                """
                {"budgets":[{"name":"sandboxes","used":3,"most":10},
                            {"name":"disk_mib","used":7}]}\
                """));
  }
}
