package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.FakeDaemon;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class CliTest {
  private static final String ID = "sb-0123456789-0000";

  private TestContext test;
  private FakeDaemon daemon;
  private Answer answer = new Answer(200, "", "[]");

  private record Answer(int status, String headers, String body) {}

  @BeforeEach
  void start() throws IOException {
    test = new TestContext();
    daemon =
        FakeDaemon.startOn(
            test.socket(),
            (request, stream) -> {
              Answer now =
                  request.path().equals("/healthz") ? new Answer(200, "", "{\"ok\":true}") : answer;
              stream.write(FakeDaemon.reply(now.status, now.headers, now.body).getBytes(UTF_8));
              return true;
            });
  }

  @AfterEach
  void stop() {
    daemon.close();
    test.close();
  }

  @Test
  void aForkShowsEachChildAndASummary() {
    answer = new Answer(201, "", "[" + child(0) + "," + child(1) + "]");
    assertThat(run("fork", "--tag", "t", "-n", "2")).isEqualTo(0);
    assertThat(test.out()).contains("sb-0123456789-0001", "HANDSHAKE", "p50", "2 of 2 alive");
  }

  @Test
  void aHundredChildrenFitOnAScreen() {
    StringBuilder children = new StringBuilder(child(0));
    for (int i = 1; i < 100; i++) {
      children.append(',').append(child(i));
    }
    answer = new Answer(201, "", "[" + children + "]");
    assertThat(run("spawn", "--tag", "t", "-n", "100")).isEqualTo(0);
    assertThat(test.out()).contains("… 90 more", "100 of 100 alive");
    assertThat(test.out().lines()).hasSizeLessThan(24);
  }

  @Test
  void aForkThatLostAChildFailsAndNamesIt() {
    answer =
        new Answer(
            201,
            "Forkd-Failures: [{\"index\":1,\"error\":\"QEMU died\"}]\r\n",
            "[" + child(0) + "]");
    assertThat(run("fork", "--tag", "t", "-n", "2")).isEqualTo(1);
    assertThat(test.err()).contains("child 1 failed: QEMU died");
  }

  @Test
  void execPassesOutputAndExitCodeThrough() {
    answer =
        new Answer(
            200,
            "",
            """
            {"type":"start","pid":3}
            {"type":"stdout","text":"out\\n"}
            {"type":"stderr","text":"err\\n"}
            {"type":"exit","code":7}
            """);
    assertThat(run("exec", ID, "--", "sh", "-c", "exit 7")).isEqualTo(7);
    assertThat(test.out()).isEqualTo("out\n");
    assertThat(test.err()).isEqualTo("err\n");
    assertThat(daemon.requests().getLast().body()).contains("\"args\":[\"sh\",\"-c\",\"exit 7\"]");
  }

  @Test
  void evalPrintsTheResultAndATraceback() {
    answer =
        new Answer(
            200, "", "{\"result\":\"[0.0]\",\"error\":null,\"stdout\":\"hi\\n\",\"exit_code\":0}");
    assertThat(run("eval", ID, "--", "x")).isEqualTo(0);
    assertThat(test.out()).isEqualTo("hi\n[0.0]\n");
    answer =
        new Answer(200, "", "{\"error\":\"E\",\"traceback\":\"Traceback: E\",\"exit_code\":1}");
    assertThat(run("eval", ID, "--", "x")).isEqualTo(1);
    assertThat(test.err()).contains("Traceback: E");
  }

  @Test
  void killAllEndsEverySandboxThatRuns() {
    answer = new Answer(200, "", "[" + child(0) + "," + child(1) + "]");
    assertThat(run("kill", "--all", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(test.out()).texts("killed"))
        .containsExactly(ID, "sb-0123456789-0001");
  }

  @Test
  void whatTheDaemonRefusesIsToldInItsWords() {
    answer = new Answer(404, "", "{\"error\":\"No snapshot 'x'. Next: forkd images.\"}");
    assertThat(run("fork", "--tag", "x")).isEqualTo(1);
    assertThat(test.err()).contains("No snapshot 'x'. Next: forkd images.");
  }

  @Test
  void withJsonAnErrorIsJsonToo() {
    answer = new Answer(404, "", "{\"error\":\"gone\"}");
    assertThat(run("ping", ID, "--json")).isEqualTo(1);
    assertThat(Json.parseObject(test.out()).text("error")).isEqualTo("gone");
  }

  static List<List<String>> misuses() {
    return List.of(
        List.of("frok"),
        List.of("fork"),
        List.of("fork", "--tag", "../x"),
        List.of("fork", "--tag", "t", "-n", "0"),
        List.of("fork", "--tag", "t", "-n", "1001"),
        List.of("fork", "--tag", "t", "-n", "many"),
        List.of("kill"),
        List.of("kill", "--all", "--tag", "t"),
        List.of("kill", "not-an-id"),
        List.of("exec", ID),
        List.of("exec", "not-an-id", "--", "true"),
        List.of("snapshot", "--tag", "t"),
        List.of("snapshot", "--tag", "t", "--recipe", "r", "--rootfs", "f"),
        List.of("pool"),
        List.of("pool", "set", "t", "--warm", "-1"),
        List.of("rmi"));
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void whatIsUsedWronglyExitsWithTwoAndAsksNothingOfTheDaemon(List<String> args) {
    assertThat(run(args.toArray(String[]::new))).isEqualTo(2);
    assertThat(test.err()).startsWith("forkd: ");
    assertThat(daemon.requests()).noneMatch(request -> request.path().startsWith("/v1/"));
  }

  @Test
  void aMistypedCommandIsMet() {
    run("imagse");
    assertThat(test.err()).contains("images").contains("forkd --help");
  }

  @Test
  void everyCommandExplainsItself() {
    for (Commands.Entry entry : Commands.all()) {
      test.out.reset();
      assertThat(run(entry.name(), "--help")).isEqualTo(0);
      assertThat(test.out()).contains("Usage: forkd " + entry.name());
    }
    test.out.reset();
    assertThat(run()).isEqualTo(0);
    Commands.all().forEach(entry -> assertThat(test.out()).contains("  " + entry.name()));
  }

  @Test
  void aNamedDaemonThatIsNotThereExitsWithThree() {
    Context context = test.with(Map.of("FORKD_URL", "unix:///tmp/forkd-nobody.sock"));
    assertThat(Cli.run(context, "ls")).isEqualTo(3);
    assertThat(test.err()).contains("forkd daemon start");
  }

  @Test
  void doctorMakesSixteenChecksOrMoreAndEachSaysWhatItMeans() {
    answer = new Answer(200, "", "{\"version\":\"0\",\"pid\":1}");
    run("doctor", "--json");
    JsonObject report = Json.parseObject(test.out());
    List<?> checks = (List<?>) report.values().get("checks");
    assertThat(checks).hasSizeGreaterThanOrEqualTo(16);
    assertThat(checks)
        .allSatisfy(
            check -> {
              Map<?, ?> fields = (Map<?, ?>) check;
              assertThat(fields.get("status")).isIn("ok", "warn", "fail");
              assertThat((String) fields.get("found")).isNotBlank();
              assertThat((String) fields.get("meaning")).isNotBlank();
              if (!"ok".equals(fields.get("status"))) {
                assertThat((String) fields.get("fix")).isNotBlank();
              }
            });
  }

  @Test
  void doctorDoesNotPromiseWhatIsNotThereYet() {
    answer = new Answer(200, "", "{\"version\":\"0\",\"pid\":1}");
    run("doctor", "--json");
    List<?> checks = (List<?>) Json.parseObject(test.out()).values().get("checks");
    List<String> later = List.of("tap", "nftables", "ip_forward");
    assertThat(checks)
        .map(check -> (Map<?, ?>) check)
        .filteredOn(fields -> later.contains(String.valueOf(fields.get("name"))))
        .hasSameSizeAs(later)
        .allSatisfy(fields -> assertThat(fields.get("meaning")).asString().contains("not there"));
  }

  @Test
  void cleanupLeavesALivingDaemonAlone() {
    answer = new Answer(200, "", "{\"version\":\"0\",\"pid\":1}");
    assertThat(run("cleanup", "--yes")).isEqualTo(0);
    assertThat(test.out()).contains("lives and looks after its own");
    assertThat(test.socket()).exists();
  }

  private int run(String... args) {
    return test.run(args);
  }

  private static String child(int number) {
    return ("{\"id\":\"sb-0123456789-%04d\",\"snapshot_tag\":\"t\",\"pid\":%d,"
            + "\"phases_ms\":{\"queue\":1,\"handshake\":2.5,\"total\":4}}")
        .formatted(number, 1000 + number);
  }
}
