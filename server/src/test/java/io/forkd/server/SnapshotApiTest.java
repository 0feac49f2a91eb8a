package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.base.Tag;
import io.forkd.core.SnapshotSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class SnapshotApiTest {
  private static final String INFO =
      """
      {"tag":"%s","dir":"/data/snapshots/%s","created_at_unix":1700000000,"status":"ready",\
      "bootable":true,"chain_depth":0,"memory_mib":512,"memory_logical_bytes":536870912,\
      "memory_physical_bytes":90000000,"vcpus":1,"source":"recipe python-numpy","arch":"aarch64",\
      "vmm":"qemu 7.2.22 tcg","machine":"virt","content_hash":"sha256:abc","runtimes":["python"]}""";

  private final TestServer server = TestServer.open();

  @AfterEach
  void stop() throws IOException {
    server.close();
  }

  @Test
  void makesASnapshotFromARecipe() throws IOException {
    Answer answer =
        server.post(
            "/v1/snapshots",
            """
            {"tag":"t1","recipe":"python-numpy","memory_mib":768,"vcpus":2,"warmup":"import x",
             "ready_timeout_secs":12.5,"unknown":{"deep":[1,{"x":null}]}}""");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.text()).isEqualTo(INFO.formatted("t1", "t1"));
    assertThat(server.forkd.snapshotSpecs)
        .containsExactly(
            new SnapshotSpec(
                Tag.of("t1"),
                new SnapshotSpec.FromRecipe("python-numpy"),
                Optional.of(768),
                Optional.of(2),
                Optional.of("import x"),
                Duration.ofMillis(12_500)));
  }

  @Test
  void makesASnapshotFromAKernelAndARootFilesystem() throws IOException {
    Answer answer =
        server.post(
            "/v1/snapshots",
            "{\"tag\":\"t2\",\"kernel\":\"/boot/vmlinuz\",\"rootfs\":\"/img/../img/root.ext4\"}");
    assertThat(answer.status()).isEqualTo(201);
    SnapshotSpec spec = server.forkd.snapshotSpecs.getFirst();
    assertThat(spec.source())
        .isEqualTo(
            new SnapshotSpec.FromFiles(
                Optional.of(Path.of("/boot/vmlinuz")), Path.of("/img/root.ext4")));
    assertThat(spec.bootWait()).isEqualTo(SnapshotSpec.DEFAULT_BOOT_WAIT);
    assertThat(spec.memoryMib()).isEmpty();
  }

  @Test
  void needsNoKernel() throws IOException {
    server.post("/v1/snapshots", "{\"tag\":\"t3\",\"rootfs\":\"/r\",\"kernel\":null}");
    assertThat(server.forkd.snapshotSpecs.getFirst().source())
        .isEqualTo(new SnapshotSpec.FromFiles(Optional.empty(), Path.of("/r")));
  }

  @Test
  void warnsOfWishesItCannotHonour() throws IOException {
    Answer answer =
        server.post(
            "/v1/snapshots",
            "{\"tag\":\"t\",\"rootfs\":\"/r\",\"rw\":true,\"tap\":\"tap0\",\"ready\":\"x\"}");
    assertThat(answer.status()).isEqualTo(201);
    assertThat(answer.header("forkd-warning"))
        .isEqualTo("not honoured by this daemon: rw, tap, ready");
    Answer plain = server.post("/v1/snapshots", "{\"tag\":\"t4\",\"rootfs\":\"/r\",\"rw\":false}");
    assertThat(plain.headers()).doesNotContainKey("forkd-warning");
  }

  @Test
  void refusesATagThatExists() throws IOException {
    Answer answer = server.post("/v1/snapshots", "{\"tag\":\"base\",\"recipe\":\"r\"}");
    assertThat(answer.status()).isEqualTo(409);
    assertThat(answer.error()).isEqualTo("A snapshot base exists already.");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|tag is missing: expected a string.",
        "{\"tag\":null,\"recipe\":\"r\"}|tag is missing",
        "{\"tag\":5,\"recipe\":\"r\"}|tag has the wrong type: expected a string, found an integer.",
        "{\"tag\":[\"a\"],\"recipe\":\"r\"}|expected a string, found an array",
        "{\"tag\":{},\"recipe\":\"r\"}|expected a string, found an object",
        "{\"tag\":true,\"recipe\":\"r\"}|expected a string, found a boolean",
        "{\"tag\":1.5,\"recipe\":\"r\"}|found a number with a fraction",
        "{\"tag\":\"\",\"recipe\":\"r\"}|'' is not a tag",
        "{\"tag\":\"../x\",\"recipe\":\"r\"}|tag: '../x' is not a tag: use 1 to 64",
        "{\"tag\":\"a/b\",\"recipe\":\"r\"}|is not a tag",
        "{\"tag\":\"a\\u0000b\",\"recipe\":\"r\"}|is not a tag",
        "{\"tag\":\"a\\n\",\"recipe\":\"r\"}|is not a tag",
        "{\"tag\":\".hidden\",\"recipe\":\"r\"}|is not a tag",
        "{\"tag\":\"t\"}|recipe or rootfs is missing",
        "{\"tag\":\"t\",\"image\":\"x\"}|recipe or rootfs is missing",
        "{\"tag\":\"t\",\"kernel\":\"/k\"}|recipe or rootfs is missing",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"rootfs\":\"/r\"}|recipe excludes kernel and rootfs",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"kernel\":\"/r\"}|recipe excludes kernel and rootfs",
        "{\"tag\":\"t\",\"recipe\":7}|recipe has the wrong type: expected a string, found an integer",
        "{\"tag\":\"t\",\"recipe\":\"\"}|recipe is neither",
        "{\"tag\":\"t\",\"recipe\":\"../../etc/passwd\"}|recipe is neither",
        "{\"tag\":\"t\",\"recipe\":\"/a\\u0000b\"}|recipe is neither",
        "{\"tag\":\"t\",\"rootfs\":\"rel/path\"}|rootfs is a relative path",
        "{\"tag\":\"t\",\"rootfs\":\"\"}|rootfs is a relative path",
        "{\"tag\":\"t\",\"rootfs\":\"/a\\u0000b\"}|rootfs is not a path",
        "{\"tag\":\"t\",\"rootfs\":false}|rootfs has the wrong type",
        "{\"tag\":\"t\",\"rootfs\":\"/r\",\"kernel\":[]}|kernel has the wrong type",
        "{\"tag\":\"t\",\"rootfs\":\"/r\",\"kernel\":\"k\"}|kernel is a relative path",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":\"512\"}|memory_mib has the wrong type: expected an integer, found a string",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":1.5}|memory_mib has the wrong type: expected an integer, found a number with a fraction",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":0}|memory_mib is 0: use 128 to 1048576",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":-5}|memory_mib is -5",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":99999999999}|memory_mib is 99999999999",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"memory_mib\":99999999999999999999999999}|memory_mib is 999999999999999999999999…",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"vcpus\":0}|vcpus is 0: use 1 to 64",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"vcpus\":65}|vcpus is 65",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"vcpus\":true}|vcpus has the wrong type",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"warmup\":[\"x\"]}|warmup has the wrong type: expected a string, found an array",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"ready_timeout_secs\":\"9\"}|ready_timeout_secs has the wrong type: expected a number of seconds, found a string",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"ready_timeout_secs\":0}|ready_timeout_secs is 0: use 1 to 3600",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"ready_timeout_secs\":3601}|ready_timeout_secs is 3601",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"ready_timeout_secs\":1e400}|ready_timeout_secs is Infinity",
        "{\"tag\":\"t\",\"recipe\":\"r\",\"rw\":\"yes\"}|rw has the wrong type: expected true or false, found a string",
        "[]|The body is an array: send a JSON object.",
        "\"x\"|The body is a string",
        "null|The body is null",
        "7|The body is an integer",
        "{\"tag\":\"t\",|not valid JSON",
        "{\"tag\":\"t\"|not valid JSON",
        "{tag:\"t\"}|not valid JSON",
        "{\"tag\":NaN}|not valid JSON",
        "{\"tag\":\"t\"} {}|goes on after its JSON value",
        "{\"tag\":\"t\",\"tag\":\"u\"}|not valid JSON",
        "x|not valid JSON"
      })
  void refusesBadRequestsAndSaysWhy(String body, String reason) throws IOException {
    Answer answer = server.post("/v1/snapshots", body);
    assertThat(answer.status()).as(answer.text()).isEqualTo(400);
    assertThat(answer.error()).contains(reason);
    assertThat(server.forkd.snapshotSpecs).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\n\t"})
  void refusesAnEmptyBody(String body) throws IOException {
    Answer answer = server.post("/v1/snapshots", body);
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("send a JSON object");
  }

  @Test
  void refusesDeepNesting() throws IOException {
    Answer answer =
        server.post(
            "/v1/snapshots", "{\"x\":" + "[".repeat(5000) + "]".repeat(5000) + ",\"tag\":\"t\"}");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).contains("not valid JSON", "nesting depth");
  }

  @Test
  void listsSnapshots() throws IOException {
    Answer answer = server.get("/v1/snapshots");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text()).isEqualTo("[" + INFO.formatted("base", "base") + "]");
    server.forkd.snapshots.clear();
    assertThat(server.get("/v1/snapshots").text()).isEqualTo("[]");
  }

  @Test
  void showsWarningsOfSnapshotsThatCannotBeForked() throws IOException {
    server.forkd.snapshots.put(
        Tag.of("base"), new SnapshotDraft("base").failed("made by QEMU 9").done());
    var json = server.get("/v1/snapshots").json().path(0);
    assertThat(json.path("status").asString()).isEqualTo("failed");
    assertThat(json.path("bootable").asBoolean()).isFalse();
    assertThat(json.path("warning").asString()).isEqualTo("made by QEMU 9");
  }

  @Test
  void describesASnapshot() throws IOException {
    Answer answer = server.get("/v1/snapshots/base/info");
    assertThat(answer.status()).isEqualTo(200);
    assertThat(answer.text())
        .isEqualTo(
            """
            {"tag":"base","dir":"/data/snapshots/base","created_at_unix":1700000000,\
            "status":"ready","bootable":true,"chain_depth":0,"memory_mib":512,\
            "memory_logical_bytes":536870912,"memory_physical_bytes":90000000,\
            "vcpus":1,"source":"recipe python-numpy","arch":"aarch64","vmm":"qemu 7.2.22 tcg",\
            "machine":"virt","content_hash":"sha256:abc","runtimes":["python"],\
            "vmstate_bytes":1234,"ancestors":[],"dependents":[],"sandboxes":[]}""");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?cascade=true", "?force=true", "?cascade=false&force=false"})
  void removesASnapshot(String query) throws IOException {
    Answer answer = server.call("DELETE", "/v1/snapshots/base" + query, "");
    assertThat(answer.status()).isEqualTo(204);
    assertThat(answer.bytes()).isEmpty();
    assertThat(server.call("DELETE", "/v1/snapshots/base", "").status()).isEqualTo(404);
  }

  @ParameterizedTest
  @ValueSource(strings = {"?cascade=true&force=true", "?cascade=yes", "?force=", "?force=TRUE"})
  void refusesContradictoryOrUnclearRemovals(String query) throws IOException {
    Answer answer = server.call("DELETE", "/v1/snapshots/base" + query, "");
    assertThat(answer.status()).isEqualTo(400);
    assertThat(answer.error()).isNotBlank();
    assertThat(server.forkd.snapshots).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "..",
        ".",
        "%2e%2e",
        "%2E%2e",
        "..%2f..%2fetc",
        "%2fetc%2fpasswd",
        "a%2fb",
        "a%5cb",
        "a%00b",
        "%00",
        "a%0ab",
        "a%20b",
        "a+b",
        "a;b",
        ";x=1",
        "..;",
        "%",
        "%2",
        "%zz",
        "%u002e",
        "%c0%ae%c0%ae",
        "%ff",
        "-flag",
        ".hidden",
        "ä",
        "%c3%a4",
        "*",
        "~",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void refusesTagsThatAreNone(String tag) throws IOException {
    for (String[] request :
        new String[][] {
          {"GET", "/v1/snapshots/" + tag + "/info"},
          {"DELETE", "/v1/snapshots/" + tag},
          {"POST", "/v1/snapshots/" + tag + "/compact"},
          {"PUT", "/v1/pools/" + tag}
        }) {
      Answer answer = server.call(request[0], request[1], "{\"warm\":1,\"to\":\"t\"}");
      assertThat(answer.status()).as(request[0] + request[1] + answer).isEqualTo(400);
      assertThat(answer.error()).isNotBlank();
    }
    assertThat(server.forkd.snapshots).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({
    "GET,/v1/snapshots/nope/info",
    "DELETE,/v1/snapshots/nope",
    "PUT,/v1/pools/nope",
    "POST,/v1/snapshots/nope/compact"
  })
  void knowsWhatItDoesNotHave(String method, String path) throws IOException {
    Answer answer = server.call(method, path, "{\"warm\":1,\"to\":\"t\"}");
    assertThat(answer.status()).isEqualTo(404);
    assertThat(answer.error()).isEqualTo("There is no snapshot nope.");
  }

  @Test
  void takesPercentEncodedTagsForWhatTheyAre() throws IOException {
    assertThat(server.get("/v1/snapshots/%62ase/info").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(ErrorCode.class)
  void mapsEveryCodeToItsStatus(ErrorCode code) throws IOException {
    Answer answer = server.get("/v1/snapshots/boom-" + code + "/info");
    assertThat(answer.status()).isEqualTo(code.httpStatus());
    if (code == ErrorCode.INTERNAL) {
      assertThat(answer.error()).matches("The daemon failed; reference r-[0-9a-f]{8} in its log.*");
    } else {
      assertThat(answer.error()).isEqualTo("as told: " + code);
    }
    assertThat(answer.header("retry-after")).isEqualTo(code == ErrorCode.FULL ? "1" : "");
  }

  @Test
  void hidesTheDetailsOfADefectBehindAReference() throws IOException {
    Answer answer = server.get("/v1/snapshots/boom-defect/info");
    assertThat(answer.status()).isEqualTo(500);
    assertThat(answer.error()).contains("reference r-").doesNotContain("secret detail");
  }
}
