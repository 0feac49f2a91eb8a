package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class InsideCommandsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String SANDBOX = "/v1/sandboxes/" + ID;
  private static final String FILES = SANDBOX + "/files";

  @TempDir Path folder = Path.of("/");
  private FakeRoutes routes;

  @BeforeEach
  void start() throws IOException {
    routes = new FakeRoutes();
  }

  @AfterEach
  void stop() {
    routes.close();
  }

  private static String entry(String path, String type) {
    return """
    {"path":"%s","name":"x","type":"%s","size":5,"mode":"0755","owner":"root",\
    "group":"root","modified":"2026-01-01T00:00:00Z"}\
    """
        .formatted(path, type);
  }

  @Test
  void filesAreListedToldAndPrinted() {
    routes.on(
        "GET " + FILES + "/list?path=%2Ftmp&depth=2",
        200,
        "[%s,%s]".formatted(entry("/tmp/a", "folder"), entry("/tmp/b\\u001b", "file")));
    assertThat(routes.run("files", "ls", ID, "/tmp", "--depth", "2")).isZero();
    assertThat(routes.out()).contains("d0755", "/tmp/a", "-0755", "/tmp/b^[");
    routes.on("GET " + FILES + "/stat?path=x&user=user", 200, entry("/home/user/x", "file"));
    assertThat(routes.run("files", "stat", "--user", "user", ID, "x", "--json")).isZero();
    assertThat(Json.parseObject(routes.out()).text("path")).isEqualTo("/home/user/x");
    routes.on("GET " + FILES + "?path=%2Fx&offset=1&length=3", 200, "abc");
    assertThat(routes.run("files", "cat", ID, "/x", "--offset", "1", "--length", "3")).isZero();
    assertThat(routes.out()).isEqualTo("abc");
  }

  @Test
  void filesAreMadeMovedChangedAndRemoved() {
    routes.on("POST " + FILES + "/mkdir", 201, entry("/n", "folder"));
    routes.on("POST " + FILES + "/move", 200, entry("/m", "folder"));
    routes.on("POST " + FILES + "/attributes", 200, entry("/m", "folder"));
    routes.on("DELETE " + FILES + "?path=%2Fm", 204, "");
    assertThat(routes.run("files", "mkdir", ID, "/n")).isZero();
    assertThat(routes.run("files", "mv", ID, "/n", "/m")).isZero();
    assertThat(routes.run("files", "chmod", "-R", ID, "0700", "/m")).isZero();
    assertThat(routes.body("POST " + FILES + "/attributes"))
        .isEqualTo("{\"path\":\"/m\",\"mode\":\"0700\",\"recursive\":true}");
    assertThat(routes.run("files", "chown", ID, "user:staff", "/m")).isZero();
    assertThat(routes.body("POST " + FILES + "/attributes"))
        .isEqualTo("{\"path\":\"/m\",\"owner\":\"user\",\"group\":\"staff\"}");
    assertThat(routes.run("files", "rm", ID, "/m")).isZero();
    assertThat(routes.run("files", "chmod", ID, "u+x", "/m")).isEqualTo(2);
    assertThat(routes.run("files", "chown", ID, ":", "/m")).isEqualTo(2);
  }

  @Test
  void aWatchTellsChangesUntilThereWereEnough() {
    routes.on(
        "GET " + FILES + "/watch?path=%2Ftmp&recursive=true",
        200,
        """
        {"type":"start"}
        {"type":"create","name":"a"}
        {"type":"keepalive"}
        {"type":"write","name":"a"}
        {"type":"remove","name":"b"}
        """);
    assertThat(routes.run("files", "watch", "-r", "-n", "2", ID, "/tmp")).isZero();
    assertThat(routes.out()).isEqualTo("create  a\nwrite   a\n");
    assertThat(routes.err()).contains("Watching /tmp");
    assertThat(routes.run("files", "watch", "-r", ID, "/tmp")).isEqualTo(1);
    assertThat(routes.err()).contains("stopped watching");
  }

  @Test
  void aFileIsCopiedInUnderItsNameOrAnother() throws IOException {
    Path file = Files.writeString(folder.resolve("a.txt"), "hello");
    routes.on("GET " + FILES + "/stat?path=%2Ftmp", 200, entry("/tmp", "folder"));
    routes.on("GET " + FILES + "/stat?path=%2Ftmp%2Fb", 404, "{\"error\":\"Nothing is there.\"}");
    routes.on("PUT " + FILES + "?path=%2Ftmp%2Fa.txt", 200, entry("/tmp/a.txt", "file"));
    routes.on("PUT " + FILES + "?path=%2Ftmp%2Fb", 200, entry("/tmp/b", "file"));
    assertThat(routes.run("cp", file.toString(), ID + ":/tmp", "--json")).isZero();
    assertThat(routes.body("PUT " + FILES + "?path=%2Ftmp%2Fa.txt")).isEqualTo("hello");
    assertThat(Json.parseObject(routes.out()).number("bytes")).isEqualTo(5);
    assertThat(routes.run("cp", file.toString(), ID + ":/tmp/b")).isZero();
    assertThat(routes.body("PUT " + FILES + "?path=%2Ftmp%2Fb")).isEqualTo("hello");
    assertThat(routes.run("cp", folder + "/none", ID + ":/tmp/b")).isEqualTo(1);
    assertThat(routes.err()).contains("none", "Next:");
  }

  @Test
  void aFileIsCopiedOutToAFolderAPathOrTheOutput() throws IOException {
    routes.on("GET " + FILES + "/stat?path=%2Fx", 200, entry("/x", "file"));
    routes.on("GET " + FILES + "?path=%2Fx", 200, "bytes");
    assertThat(routes.run("cp", ID + ":/x", folder.toString())).isZero();
    assertThat(folder.resolve("x")).hasContent("bytes").isExecutable();
    assertThat(routes.run("cp", ID + ":/x", folder.resolve("y").toString())).isZero();
    assertThat(folder.resolve("y")).hasContent("bytes");
    assertThat(routes.run("cp", ID + ":/x", "-")).isZero();
    assertThat(routes.out()).isEqualTo("bytes");
  }

  @Test
  void twoHostsOrTwoSandboxesAreNoCopy() {
    assertThat(routes.run("cp", "a", "b")).isEqualTo(2);
    assertThat(routes.run("cp", ID + ":/a", ID + ":/b")).isEqualTo(2);
    assertThat(routes.run("cp", ID + ":", "b")).isEqualTo(2);
    assertThat(routes.run("cp", "--json", ID + ":/a", "-")).isEqualTo(2);
    assertThat(routes.asked()).isEmpty();
  }

  @Test
  void codeShowsItsTextItsResultsAndItsPictures() {
    routes.on(
        "POST " + SANDBOX + "/execute",
        200,
        """
        {"type":"begin","count":3}
        {"type":"stdout","text":"printed\\n"}
        {"type":"stderr","text":"warned\\n"}
        {"type":"result","main":false,"formats":{"png":"aGk=","text":"<Figure>"}}
        {"type":"result","main":true,"formats":{"text":"42","html":"<b>42</b>"}}
        {"type":"end"}
        """);
    assertThat(routes.run("run-code", "--save-dir", folder.toString(), ID, "x", "=", "1")).isZero();
    assertThat(routes.out()).isEqualTo("printed\n<Figure>\n42\n");
    assertThat(routes.err()).contains("warned", "Saved");
    assertThat(folder.resolve("result-3-1.png")).hasContent("hi");
    assertThat(routes.body("POST " + SANDBOX + "/execute")).isEqualTo("{\"code\":\"x = 1\"}");
    assertThat(routes.run("run-code", "--json", "--context", "c", ID, "x")).isZero();
    assertThat(routes.out().lines()).hasSize(6);
    assertThat(routes.run("run-code", "--context", "c", "--language", "java", ID, "x"))
        .isEqualTo(2);
  }

  @Test
  void codeThatFailsShowsItsTraceback() {
    routes.on(
        "POST " + SANDBOX + "/execute",
        200,
        """
        {"type":"begin","count":1}
        {"type":"failure","name":"ZeroDivisionError","value":"division by zero","traceback":"Trace"}
        {"type":"end"}
        """);
    assertThat(routes.run("run-code", ID, "1/0")).isEqualTo(1);
    assertThat(routes.err()).contains("Trace");
  }

  @Test
  void contextsAreHandled() {
    String contexts = SANDBOX + "/contexts";
    routes.on(
        "GET " + contexts, 200, "[{\"id\":\"python\",\"language\":\"python\",\"cwd\":\"/\"}]");
    routes.on("POST " + contexts, 201, "{\"id\":\"c1\"}");
    routes.on("POST " + contexts + "/c1/restart", 204, "");
    routes.on("POST " + contexts + "/c1/interrupt", 204, "");
    routes.on("DELETE " + contexts + "/c1", 204, "");
    assertThat(routes.run("context", "ls", ID)).isZero();
    assertThat(routes.out()).contains("python");
    assertThat(routes.run("context", "create", ID, "--cwd", "/tmp")).isZero();
    assertThat(routes.out()).isEqualTo("c1\n");
    assertThat(routes.run("context", "restart", ID, "c1")).isZero();
    assertThat(routes.run("context", "interrupt", ID, "c1")).isZero();
    assertThat(routes.run("context", "rm", ID, "c1")).isZero();
    assertThat(routes.run("context", "rm", ID, "c2")).isEqualTo(1);
  }

  @Test
  void variablesAndMetrics() {
    routes.on("PUT " + SANDBOX + "/env", 204, "");
    assertThat(routes.run("env", ID, "A=1", "B=")).isZero();
    assertThat(routes.body("PUT " + SANDBOX + "/env")).isEqualTo("{\"A\":\"1\",\"B\":\"\"}");
    assertThat(routes.run("env", ID, "A")).isEqualTo(2);
    routes.on(
        "GET " + SANDBOX + "/metrics",
        200,
        "{\"cpus\":2,\"cpu_used_percent\":12.5,\"memory_total\":1048576,\"memory_used\":524288}");
    assertThat(routes.run("metrics", ID)).isZero();
    assertThat(routes.out()).contains("12.5 %", "512 KiB", "1.0 MiB");
    routes.on("POST /v1/sandboxes", 201, "[]");
    routes.run("fork", "--tag", "t", "-e", "A=1", "--env", "B=2");
    assertThat(routes.body("POST /v1/sandboxes")).contains("\"A\":\"1\"", "\"B\":\"2\"");
  }

  @Test
  void bytesThatAreNoTextSurviveTheOutput() {
    routes.on("GET " + FILES + "?path=%2Fx&offset=0", 200, "\u00e9");
    assertThat(routes.run("files", "cat", ID, "/x")).isZero();
    assertThat(routes.test.out.toByteArray()).isEqualTo("\u00e9".getBytes(UTF_8));
  }
}
