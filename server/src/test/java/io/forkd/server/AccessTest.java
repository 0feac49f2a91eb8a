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
class AccessTest {
  private static TestServer guarded;
  private static TestServer open;

  @BeforeAll
  static void start() throws IOException {
    guarded = TestServer.withToken();
    open = TestServer.open();
  }

  @AfterAll
  static void stop() throws IOException {
    guarded.close();
    open.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Bearer ", "bearer ", "BEARER ", "Bearer   "})
  void theTokenOpensTheDoor(String scheme) throws IOException {
    assertThat(guarded.get("/v1/snapshots", "Authorization: " + scheme + TestServer.TOKEN).status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "GET|/version",
        "GET|/metrics",
        "GET|/v1/status",
        "GET|/v1/snapshots",
        "POST|/v1/snapshots",
        "GET|/v1/snapshots/base/info",
        "DELETE|/v1/snapshots/base",
        "GET|/v1/sandboxes",
        "POST|/v1/sandboxes",
        "GET|/v1/sandboxes/sb-00000000-0001",
        "DELETE|/v1/sandboxes/sb-00000000-0001",
        "POST|/v1/sandboxes/sb-00000000-0001/ping",
        "POST|/v1/sandboxes/sb-00000000-0001/exec",
        "POST|/v1/sandboxes/sb-00000000-0001/eval",
        "POST|/v1/sandboxes/sb-00000000-0001/branch",
        "POST|/v1/sandboxes/sb-00000000-0001/fork",
        "POST|/v1/sandboxes/sb-00000000-0001/rollback",
        "POST|/v1/snapshots/base/compact",
        "POST|/v1/gc",
        "POST|/v1/diff",
        "GET|/v1/pools",
        "PUT|/v1/pools/base",
        "POST|/v1/shutdown",
        "GET|/no/such/route",
        "GET|/healthz/x",
        "GET|/v1/../healthz",
        "GET|/healthz;x"
      })
  void nothingElseIsOpenWithoutIt(String method, String path) throws IOException {
    Answer answer = guarded.call(method, path, "{}");
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.header("www-authenticate")).isEqualTo("Bearer");
    assertThat(answer.error()).contains("Authorization: Bearer <token>");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Authorization: Bearer",
        "Authorization: Bearer ",
        "Authorization: Bearer x",
        "Authorization: Bearer " + TestServer.TOKEN + "x",
        "Authorization: Bearer x" + TestServer.TOKEN,
        "Authorization: Bearer KO3VX9-A-REAL-LOOKING-SECRET",
        "Authorization: " + TestServer.TOKEN,
        "Authorization: Basic " + TestServer.TOKEN,
        "Authorization: Bearer\t" + TestServer.TOKEN + "\r\nAuthorization: Bearer y",
        "Authorization: Bearer " + TestServer.TOKEN + "\r\nAuthorization: Bearer y",
        "X-Token: " + TestServer.TOKEN,
        "Cookie: token=" + TestServer.TOKEN
      })
  void aWrongTokenDoesNot(String header) throws IOException {
    Answer answer = guarded.get("/v1/snapshots", header);
    assertThat(answer.status()).isEqualTo(401);
    assertThat(answer.error()).doesNotContain(TestServer.TOKEN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/healthz", "/healthz/"})
  void healthNeedsNoToken(String path) throws IOException {
    assertThat(guarded.get(path).status()).isEqualTo(200);
  }

  @Test
  void theUnixSocketNeedsNoToken() throws IOException {
    try (Wire wire = guarded.unix()) {
      wire.request("GET", "/v1/snapshots", "");
      assertThat(wire.answer().status()).isEqualTo(200);
    }
  }

  @Test
  void aTokenHolderMayComeFromAnywhere() throws IOException {
    assertThat(
            guarded
                .get(
                    "/v1/snapshots",
                    "Host: forkd.example:8889",
                    "Origin: https://ui.example",
                    "Authorization: Bearer " + TestServer.TOKEN)
                .status())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost", "LOCALHOST:1", "127.0.0.1:8889", "127.1.2.3", "[::1]:8889"})
  void withoutATokenLocalNamesAreFine(String host) throws IOException {
    assertThat(open.get("/version", "Host: " + host).status()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Host: evil.example",
        "Host: localhost.evil.example",
        "Host: 127.0.0.1.evil.example",
        "Host: 192.168.1.1:8889",
        "Host: localhost\r\nOrigin: https://evil.example",
        "Host: localhost\r\nOrigin: null",
        "Host: localhost\r\nSec-Fetch-Site: cross-site",
        "Host: localhost\r\nSec-Fetch-Site: same-site"
      })
  void withoutATokenWebPagesAreTurnedAway(String headers) throws IOException {
    Answer answer = open.post("/v1/sandboxes", "{\"snapshot_tag\":\"base\"}", headers);
    assertThat(answer.status()).isEqualTo(403);
    assertThat(answer.error()).contains("--token-file");
    assertThat(open.forkd.sandboxes).isEmpty();
  }
}
