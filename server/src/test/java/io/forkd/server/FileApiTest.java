package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Files of a real agent's guest, which is this host. */
@Timeout(60)
class FileApiTest {
  @TempDir Path folder;

  private final TestServer server = TestServer.open();
  private String files;

  @BeforeEach
  void fork() throws IOException {
    files = "/v1/sandboxes/" + server.fork() + "/files";
  }

  @AfterEach
  void stop() throws IOException {
    server.forkd.guests.close();
    server.close();
  }

  private static String encoded(Object path) {
    return URLEncoder.encode(path.toString(), StandardCharsets.UTF_8);
  }

  private String at(String route, Object path) {
    return files + route + "?path=" + encoded(path);
  }

  private Answer post(String route, String body) throws IOException {
    return server.post(files + route, body.replace('\'', '"').replace("$F", folder.toString()));
  }

  @Test
  void whatIsWrittenIsRead() throws IOException {
    Path file = folder.resolve("a b/ü/c.txt");
    Answer written = server.call("PUT", at("", file) + "&mode=0640", "one ü\n");
    assertThat(written.status()).as(written.toString()).isEqualTo(200);
    JsonNode entry = written.json();
    assertThat(entry.path("path").asString()).isEqualTo(file.toString());
    assertThat(entry.path("name").asString()).isEqualTo("c.txt");
    assertThat(entry.path("type").asString()).isEqualTo("file");
    assertThat(entry.path("size").asLong()).isEqualTo(7);
    assertThat(entry.path("mode").asString()).isEqualTo("0640");
    assertThat(Instant.parse(entry.path("modified").asString()))
        .isEqualTo(Files.getLastModifiedTime(file).toInstant());
    assertThat(Files.readString(file)).isEqualTo("one ü\n");
    assertThat(server.call("PUT", at("", file) + "&append=true", "two").status()).isEqualTo(200);
    Answer read = server.get(at("", file));
    assertThat(read.text()).isEqualTo("one ü\ntwo");
    assertThat(read.header("content-length")).isEqualTo("10");
    assertThat(read.header("content-type")).isEqualTo("application/octet-stream");
    assertThat(read.header("x-content-type-options")).isEqualTo("nosniff");
    assertThat(server.get(at("", file) + "&offset=7").text()).isEqualTo("two");
    assertThat(server.get(at("", file) + "&offset=4&length=2").text()).isEqualTo("ü");
    assertThat(server.get(at("", file) + "&offset=99").text()).isEmpty();
    assertThat(server.call("PUT", at("", file), "").status()).isEqualTo(200);
    assertThat(server.get(at("", file)).bytes()).isEmpty();
  }

  @Test
  void theHeadOfAFileHasItsLength() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "12345");
    Answer head = server.call("HEAD", at("", file), "");
    assertThat(head.status()).isEqualTo(200);
    assertThat(head.header("content-length")).isEqualTo("5");
    assertThat(server.call("HEAD", at("", folder.resolve("none")), "").status()).isEqualTo(404);
  }

  @Test
  void bodiesInChunksAreFilesToo() throws IOException {
    Path file = folder.resolve("f");
    try (Wire wire = server.tcp()) {
      wire.send(
          "PUT %s HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
              .formatted(at("", file)));
      assertThat(wire.answer().status()).isEqualTo(200);
      wire.request("GET", at("", file), "");
      assertThat(wire.answer().text()).isEqualTo("abcde");
    }
  }

  @Test
  void anUploadThatBreaksOffIsNotTakenForAWholeFile() throws Exception {
    Path file = Files.writeString(folder.resolve("f"), "before");
    try (Wire wire = server.tcp()) {
      wire.send(
          "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nabc"
              .formatted(at("", file)));
      wire.endOutput();
      // Refused or cut off, but never told that all is well.
      try {
        assertThat(wire.answer().status()).isBetween(400, 599);
      } catch (java.io.EOFException e) {
        assertThat(e).hasMessageContaining("closed the connection");
      }
    }
    assertThat(server.get("/healthz").status()).isEqualTo(200);
  }

  @Test
  void listsStatsAndRemoves() throws IOException {
    Files.createDirectories(folder.resolve("d/e"));
    Files.writeString(folder.resolve("d/e/f"), "x");
    Files.createSymbolicLink(folder.resolve("d/link"), Path.of("e/f"));
    assertThat(names(server.get(at("/list", folder)))).containsExactlyInAnyOrder("d");
    assertThat(names(server.get(at("/list", folder) + "&depth=2")))
        .containsExactlyInAnyOrder("d", "e", "link");
    assertThat(names(server.get(at("/list", folder) + "&depth=9")))
        .containsExactlyInAnyOrder("d", "e", "f", "link");
    JsonNode link = server.get(at("/stat", folder.resolve("d/link"))).json();
    assertThat(link.path("type").asString()).isEqualTo("symlink");
    assertThat(link.path("target").asString()).isEqualTo("e/f");
    assertThat(server.get(at("/stat", folder)).json().path("type").asString()).isEqualTo("folder");
    assertThat(server.call("DELETE", at("", folder.resolve("d")), "").status()).isEqualTo(204);
    assertThat(folder.resolve("d")).doesNotExist();
    assertThat(server.call("DELETE", at("", folder.resolve("d")), "").status()).isEqualTo(204);
    assertThat(server.get(at("/stat", folder.resolve("d"))).status()).isEqualTo(404);
  }

  private static List<String> names(Answer answer) {
    assertThat(answer.status()).as(answer.toString()).isEqualTo(200);
    return answer.json().values().stream().map(entry -> entry.path("name").asString()).toList();
  }

  @Test
  void makesMovesAndChanges() throws IOException {
    Answer made = post("/mkdir", "{'path':'$F/a/b'}");
    assertThat(made.status()).as(made.toString()).isEqualTo(201);
    assertThat(folder.resolve("a/b")).isDirectory();
    assertThat(post("/mkdir", "{'path':'$F/a/b'}").status()).isEqualTo(409);
    Files.writeString(folder.resolve("a/b/f"), "x");
    Answer moved = post("/move", "{'from':'$F/a/b/f','to':'$F/g'}");
    assertThat(moved.status()).as(moved.toString()).isEqualTo(200);
    assertThat(moved.json().path("name").asString()).isEqualTo("g");
    assertThat(post("/move", "{'from':'$F/none','to':'$F/g2'}").status()).isEqualTo(404);
    Answer changed =
        post("/attributes", "{'path':'$F/g','mode':'0700','owner':'daemon','group':'1'}");
    assertThat(changed.status()).as(changed.toString()).isEqualTo(200);
    assertThat(changed.json().path("mode").asString()).isEqualTo("0700");
    assertThat(changed.json().path("owner").asString()).isEqualTo("daemon");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("g"))))
        .isEqualTo("rwx------");
  }

  @ParameterizedTest
  @CsvSource({
    "GET, , 400",
    "GET, ?path=, 400",
    "GET, ?path=%00, 400",
    "GET, ?path=/none/at/all, 404",
    "GET, ?path=/etc, 400",
    "GET, ?path=/etc/hostname&user=nobody-at-all, 400",
    "GET, ?path=/etc/hostname&offset=-1, 400",
    "GET, ?path=/etc/hostname&length=x, 400",
    "PUT, , 400",
    "PUT, ?path=/proc/none/x, 400-404",
    "PUT, ?path=/etc, 400",
    "PUT, ?path=/tmp/x&mode=999, 400",
    "PUT, ?path=/tmp/x&append=perhaps, 400",
    "DELETE, , 400",
    "GET, /stat, 400",
    "GET, /stat?path=/none, 404",
    "GET, /list?path=/etc/hostname, 400",
    "GET, /list?path=/none, 404",
    "GET, /list?path=/etc&depth=0, 400",
    "GET, /watch?path=/none, 404",
    "GET, /watch?path=/etc&recursive=1, 400",
    "GET, /tar?path=/none, 404",
    "PUT, /tar, 400",
    "GET, /none, 404"
  })
  void whatCannotBeDoneIsTheCallersFault(String method, String rest, String statuses)
      throws IOException {
    Answer answer =
        server.call(method, files + (rest == null ? "" : rest), method.equals("PUT") ? "x" : "");
    assertThat(statuses).as(answer.toString()).contains(String.valueOf(answer.status()));
    assertThat(answer.error()).isNotBlank();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'path':''}",
        "{'path':'/tmp/x','mode':'8'}",
        "{'path':'/tmp/x','mode':'01777777'}",
        "{'path':'a\\u0000b'}",
        "{'path':'/tmp','owner':'nobody-at-all'}"
      })
  void nonsenseInAttributesIsRefused(String body) throws IOException {
    Answer answer = post("/attributes", body);
    assertThat(answer.status()).as(answer.toString()).isEqualTo(400);
  }

  @Test
  void treesGoAsTarBothWays() throws Exception {
    Files.createDirectories(folder.resolve("from/deep"));
    Files.writeString(folder.resolve("from/deep/x"), "content");
    Files.createSymbolicLink(folder.resolve("from/l"), Path.of("deep/x"));
    Answer tar = server.get(at("/tar", folder.resolve("from")));
    assertThat(tar.status()).isEqualTo(200);
    assertThat(tar.header("content-type")).isEqualTo("application/x-tar");
    try (Wire wire = server.tcp()) {
      byte[] bytes = tarBytes("from");
      wire.send(
          "PUT %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
              .formatted(at("/tar", folder.resolve("to")), bytes.length));
      wire.send(bytes);
      Answer answer = wire.answer();
      assertThat(answer.status()).as(answer.toString()).isEqualTo(204);
    }
    assertThat(folder.resolve("to/deep/x")).hasContent("content");
    assertThat(Files.readSymbolicLink(folder.resolve("to/l"))).isEqualTo(Path.of("deep/x"));
  }

  private byte[] tarBytes(String name) throws IOException {
    java.net.http.HttpClient client = java.net.http.HttpClient.newHttpClient();
    try (client) {
      return client
          .send(
              java.net.http.HttpRequest.newBuilder(server.uri(at("/tar", folder.resolve(name))))
                  .build(),
              java.net.http.HttpResponse.BodyHandlers.ofByteArray())
          .body();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aWatchTellsWhatChanges() throws Exception {
    try (Lines lines = Lines.of(server, "GET", at("/watch", folder) + "&recursive=true", "")) {
      lines.next("start");
      Files.writeString(folder.resolve("new"), "x");
      assertThat(lines.next("create").path("name").asString()).isEqualTo("new");
      assertThat(lines.until("write").path("name").asString()).isEqualTo("new");
      Files.delete(folder.resolve("new"));
      assertThat(lines.until("remove").path("name").asString()).isEqualTo("new");
    }
  }

  @Test
  void aWatchThatIsQuietSaysSo() throws IOException {
    try (Lines lines = Lines.of(server, "GET", at("/watch", folder), "")) {
      lines.next("start");
      assertThat(Lines.type(lines.nextOfAny().orElseThrow())).isEqualTo("keepalive");
    }
  }

  @Test
  void aWatchEndsWithItsGuestAndWithTheDaemon() throws IOException {
    try (Lines lines = Lines.of(server, "GET", at("/watch", folder), "")) {
      lines.next("start");
      server.forkd.guests.close();
      assertThat(lines.next("error").path("error").asString()).isNotBlank();
      assertThat(lines.rest()).isEmpty();
    }
    try (Lines lines = Lines.of(server, "GET", at("/watch", folder), "")) {
      lines.next("start");
      server.stop();
      assertThat(lines.next("error").path("error").asString()).contains("stopping");
      assertThat(lines.rest()).isEmpty();
    }
  }
}
