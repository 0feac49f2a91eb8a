package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class PoolApiTest {
  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void setsListsAndEndsAPool() throws IOException {
    assertThat(server.get("/v1/pools").text()).isEqualTo("[]");
    String pool = "{\"tag\":\"base\",\"warm\":5,\"ready\":0,\"filling\":5}";
    Answer set = server.call("PUT", "/v1/pools/base", "{\"warm\":5}");
    assertThat(set.status()).isEqualTo(200);
    assertThat(set.text()).isEqualTo(pool);
    assertThat(server.get("/v1/pools").text()).isEqualTo("[" + pool + "]");
    assertThat(server.call("PUT", "/v1/pools/base", "{\"warm\":0}").status()).isEqualTo(200);
    assertThat(server.get("/v1/pools").text()).isEqualTo("[]");
  }

  @Test
  void showsWhyThePoolDoesNotFill() throws IOException {
    assertThat(server.call("PUT", "/v1/pools/base", "{\"warm\":13}").text())
        .endsWith("\"last_error\":\"no memory\"}");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|warm is missing: expected an integer.",
        "{\"warm\":-1}|warm is -1: use 0 to 1000.",
        "{\"warm\":1001}|warm is 1001",
        "{\"warm\":\"1\"}|warm has the wrong type: expected an integer, found a string.",
        "{\"warm\":2.5}|found a number with a fraction",
        "{\"warm\":null}|warm is missing",
        "7|The body is an integer"
      })
  void refusesBadSizes(String body, String reason) throws IOException {
    Answer answer = server.call("PUT", "/v1/pools/base", body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.pools).isEmpty();
  }
}
