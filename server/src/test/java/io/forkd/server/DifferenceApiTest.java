package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Comparison of snapshots and sandboxes. */
@Timeout(60)
class DifferenceApiTest {
  private static final Tag BASE = Tag.of("base");

  private final TestServer server = TestServer.open();
  private String id;

  @BeforeEach
  void fill() throws IOException {
    FakeFiles files = server.forkd.files;
    files.write(BASE, "/etc/motd", "hello\n");
    files.write(BASE, "/etc/old", "1\n2\n");
    files.write(BASE, "/same", "same");
    files.write(BASE, "/proc/1 init", "");
    files.write(BASE, "/proc/20 cron", "");
    id = server.fork();
    SandboxId sandbox = SandboxId.of(id);
    files.write(sandbox, "/etc/motd", "bye\nnow\n");
    files.remove(sandbox, "/etc/old");
    files.write(sandbox, "/new", "ü");
    files.remove(sandbox, "/proc/20 cron");
    files.write(sandbox, "/proc/77 sleep", "");
  }

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void tellsFilesPagesAndProcesses() throws IOException {
    Answer answer =
        server.post("/v1/diff", "{\"a\":\"base\",\"b\":\"%s\",\"more\":0}".formatted(id));
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"a":"base","b":"%s","files":[\
            {"path":"/etc/motd","change":"changed","type":"file","size_a":6,"size_b":8,\
            "what":["content"],"lines_added":2,"lines_removed":1},\
            {"path":"/etc/old","change":"removed","type":"file","size_a":4,"what":[],\
            "lines_added":0,"lines_removed":2},\
            {"path":"/new","change":"added","type":"file","size_b":1,"what":[],\
            "lines_added":1,"lines_removed":0}],\
            "pages":{"total":131072,"compared":7,"differing":3,"page_bytes":4096},\
            "processes":{"in_a":2,"in_b":2,"only_a":["20 cron"],"only_b":["77 sleep"]}}"""
                .formatted(id));
  }

  @Test
  void givesTextWhenAsked() throws IOException {
    Answer answer =
        server.post("/v1/diff", "{\"a\":\"base\",\"b\":\"%s\",\"text\":true}".formatted(id));
    assertThat(answer.json().path("files").path(0).path("unified").asString())
        .isEqualTo("-hello\n+bye\n+now\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|400|a is missing: expected a string.",
        "{\"a\":\"base\"}|400|b is missing",
        "{\"a\":1,\"b\":\"base\"}|400|a has the wrong type: expected a string, found an integer.",
        "{\"a\":\"base\",\"b\":{}}|400|b has the wrong type: expected a string, found an object.",
        "{\"a\":\"../x\",\"b\":\"base\"}|400|a is '../x', neither a tag nor a sandbox id",
        "{\"a\":\"base\",\"b\":\"\"}|400|b is '', neither a tag nor a sandbox id",
        "{\"a\":\"base\",\"b\":\"a\\u0000b\"}|400|b is 'a?b', neither",
        "{\"a\":\"base\",\"b\":\"base\",\"text\":\"yes\"}|400|text has the wrong type: expected true or false",
        "[\"base\",\"base\"]|400|The body is an array",
        "{\"a\":\"nope\",\"b\":\"base\"}|404|There is no snapshot nope.",
        "{\"a\":\"base\",\"b\":\"sb-ffffffff-0001\"}|404|There is no sandbox sb-ffffffff-0001.",
        "{\"a\":\"boom-FULL\",\"b\":\"base\"}|503|as told: FULL",
        "{\"a\":\"boom-TIMEOUT\",\"b\":\"base\"}|504|as told: TIMEOUT"
      })
  void refusesBadRequestsAndSaysWhy(String body, int status, String reason) throws IOException {
    Answer answer = server.post("/v1/diff", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(status);
    assertThat(answer.error()).contains(reason);
  }
}
