package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class HttpLimitsTest {
  private static final int MIB = 1 << 20;

  private static TestServer server;

  @BeforeAll
  static void start() {
    server = TestServer.open();
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GARBAGE\\r\\n\\r\\n|400",
        "GET\\r\\n\\r\\n|400",
        "GET /healthz HTTP/1.1\\r\\n\\r\\n|400",
        "GET /healthz HTTP/1.1\\r\\nHost: a\\r\\nHost: b\\r\\n\\r\\n|400",
        "GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nbad header\\r\\n\\r\\n|400",
        "GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\n folded: x\\r\\n\\r\\n|400",
        "GET /healthz HTTP/7.3\\r\\nHost: localhost\\r\\n\\r\\n|505",
        "POST /v1/pools HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: x\\r\\n\\r\\n|400",
        "POST /v1/pools HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: -1\\r\\n\\r\\n|400",
        "POST /v1/pools HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1\\r\\nContent-Length: 2\\r\\n\\r\\n|400",
        "POST /v1/pools HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 1\\r\\nTransfer-Encoding: chunked\\r\\n\\r\\n0\\r\\n\\r\\n|400",
        "PRI * HTTP/2.0\\r\\n\\r\\nSM\\r\\n\\r\\n|505"
      })
  void malformedRequestsGetAnErrorBody(String text, int status) throws IOException {
    try (Wire wire = server.tcp()) {
      wire.send(text.replace("\\r", "\r").replace("\\n", "\n"));
      Answer answer = wire.answer();
      assertThat(answer.status()).as(answer.toString()).isIn(status, 400, 426);
      assertThat(answer.error()).isNotBlank();
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void anOversizedHeaderIsRefused() throws IOException {
    Answer answer = server.get("/healthz", "X-Big: " + "a".repeat(20_000));
    assertThat(answer.status()).isEqualTo(431);
    assertThat(answer.error()).contains("header is too large");
  }

  @Test
  void anOversizedPathIsRefused() throws IOException {
    Answer answer = server.get("/" + "a".repeat(20_000));
    assertThat(answer.status()).isEqualTo(414);
    assertThat(answer.error()).isNotBlank();
  }

  @ParameterizedTest
  @ValueSource(ints = {MIB + 1, 3 * MIB})
  void anOversizedBodyIsRefused(int size) throws IOException {
    Answer answer = server.post("/v1/sandboxes", " ".repeat(size));
    assertThat(answer.status()).isEqualTo(413);
    assertThat(answer.error()).contains("larger than 1048576 bytes");
  }

  @Test
  void anOversizedBodyInChunksIsRefused() throws IOException {
    try (Wire wire = server.tcp()) {
      wire.send(
          "POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
      String chunk = "10000\r\n" + " ".repeat(0x10000) + "\r\n";
      for (int i = 0; i < 17; i++) {
        wire.send(chunk);
      }
      wire.send("0\r\n\r\n");
      assertThat(wire.answer().status()).isEqualTo(413);
    }
  }

  @Test
  void aBodyOfExactlyTheLimitIsRead() throws IOException {
    String body = "{\"snapshot_tag\":\"nope\"}";
    Answer answer = server.post("/v1/sandboxes", body + " ".repeat(MIB - body.length()));
    assertThat(answer.status()).isEqualTo(404);
  }

  @Test
  void oneConnectionCarriesManyRequests() throws IOException {
    try (Wire wire = server.unix()) {
      for (int i = 0; i < 50; i++) {
        wire.request("GET", i % 2 == 0 ? "/healthz" : "/nope", "");
        assertThat(wire.answer().status()).isEqualTo(i % 2 == 0 ? 200 : 404);
      }
    }
  }

  @Test
  void invalidUtf8IsRefused() throws IOException {
    try (Wire wire = server.tcp()) {
      wire.send("POST /v1/sandboxes HTTP/1.1\r\nHost: localhost\r\nContent-Length: 22\r\n\r\n");
      wire.send("{\"snapshot_tag\":\"");
      wire.send(new byte[] {(byte) 0xff, (byte) 0xfe, (byte) 0xc0, (byte) 0x80, '"', '}'});
      Answer answer = wire.answer();
      assertThat(answer.status()).isEqualTo(400);
      assertThat(answer.error()).contains("not valid JSON");
    }
  }
}
