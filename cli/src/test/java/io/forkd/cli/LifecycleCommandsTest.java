package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Commands about what sandboxes are given, and their lives. */
@Timeout(60)
class LifecycleCommandsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String OTHER = "sb-0123456789-0001";
  private static final String[] EVERYTHING = {
    "--cpus",
    "0.5",
    "--memory",
    "1G",
    "--pids",
    "64",
    "--io",
    "10M",
    "--ttl",
    "15m",
    "--idle",
    "90s",
    "--on-timeout",
    "pause",
    "--egress",
    "allow:www.example.com,*.x.org,192.0.2.0/24",
    "--label",
    "team=a",
    "--label",
    "note=x=y"
  };
  private static final String ASKED =
      "\"memory_limit_mib\":1024,\"cpus\":0.5,\"pids\":64,\"io_bytes_per_sec\":10485760,"
          + "\"ttl_secs\":900,\"idle_timeout_secs\":90,\"on_timeout\":\"pause\",\"egress\":"
          + "{\"policy\":\"allowlist\",\"domains\":[\"www.example.com\",\"*.x.org\"],"
          + "\"cidrs\":[\"192.0.2.0/24\"]},\"labels\":";

  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon = new FakeRoutes();
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  private static String[] join(String[] first, String... rest) {
    String[] all = java.util.Arrays.copyOf(first, first.length + rest.length);
    System.arraycopy(rest, 0, all, first.length, rest.length);
    return all;
  }

  private static String sandbox(String id, String more) {
    return "{\"id\":\"%s\",\"snapshot_tag\":\"t\",\"pid\":42%s}".formatted(id, more);
  }

  @Test
  void aForkGivesItsChildrenEverything() {
    daemon.on("POST /v1/sandboxes", 201, "[" + sandbox(ID, "") + "]");
    assertThat(daemon.run(join(EVERYTHING, "fork", "--tag", "t")))
        .as("options before the command")
        .isEqualTo(2);
    assertThat(daemon.run(join(new String[] {"fork", "--tag", "t"}, EVERYTHING))).isEqualTo(0);
    assertThat(daemon.body("POST /v1/sandboxes"))
        .startsWith("{\"snapshot_tag\":\"t\",\"n\":1," + ASKED)
        .contains("\"team\":\"a\"", "\"note\":\"x=y\"");
  }

  @Test
  void aForkOfASandboxGivesTheSame() {
    String route = "POST /v1/sandboxes/" + ID + "/fork";
    daemon.on(
        route, 201, "{\"snapshot\":{\"tag\":\"b\"},\"sandboxes\":[" + sandbox(OTHER, "") + "]}");
    assertThat(daemon.run(join(new String[] {"fork", "--from", ID}, EVERYTHING))).isEqualTo(0);
    assertThat(daemon.body(route)).startsWith("{\"n\":1," + ASKED);
  }

  @Test
  void listsStateAndLabels() {
    daemon.on(
        "GET /v1/sandboxes",
        200,
        "[%s,%s]"
            .formatted(
                sandbox(ID, ",\"state\":\"paused\",\"labels\":{\"team\":\"a\"}"),
                sandbox(OTHER, ",\"state\":\"running\"")));
    assertThat(daemon.run("ls")).isEqualTo(0);
    assertThat(daemon.out()).contains("STATE", "LABELS", "paused", "running", "team=a");
    assertThat(daemon.run("ls", "--state", "running")).isEqualTo(0);
    assertThat(daemon.out()).contains(OTHER).doesNotContain(ID);
  }

  @Test
  void findsByLabel() {
    daemon.on("GET /v1/sandboxes?label=team%3Da&label=x%3D1", 200, "[" + sandbox(ID, "") + "]");
    assertThat(daemon.run("ls", "--label", "team=a", "--label", "x=1", "--json")).isEqualTo(0);
    assertThat(daemon.out()).contains(ID);
  }

  @Test
  void tellsWhatASandboxSaysOfItselfHarmlessly() {
    daemon.on(
        "GET /v1/sandboxes",
        200,
        "[" + sandbox(ID, ",\"labels\":{\"a\":\"\\u001b[31mred\"}") + "]");
    assertThat(daemon.run("ls")).isEqualTo(0);
    assertThat(daemon.out()).contains("a=^[[31mred").doesNotContain("\u001b");
  }

  @Test
  void listsThoseThatEndedAndWhy() {
    daemon.on(
        "GET /v1/sandboxes/ended?limit=20",
        200,
        """
        [{"id":"%s","snapshot_tag":"t","created_at_unix":0,"ended_at_unix":90,"reason":{"kind":\
        "vmm_crash","text":"its VMM died","log":["l1","l2","l3","bad \\u0007 bell"]}},\
        {"id":"%s","snapshot_tag":"u","created_at_unix":0,"ended_at_unix":90,"labels":{"a":"b"},\
        "reason":{"kind":"killed","text":"it was killed by request","log":[]}}]\
        """
            .formatted(ID, OTHER));
    assertThat(daemon.run("ls", "--ended")).isEqualTo(0);
    assertThat(daemon.out())
        .contains("REASON", "its VMM died", "it was killed by request", "90 s")
        .contains("its last words", "  l2\n  l3\n  bad ^G bell")
        .doesNotContain("  l1");
    assertThat(daemon.run("ls", "--ended", "--tag", "u", "--label", "a=b", "--json")).isEqualTo(0);
    assertThat(daemon.out()).contains(OTHER).doesNotContain(ID);
  }

  @Test
  void updatesSeveralAtOnce() {
    daemon.on("PATCH /v1/sandboxes/" + ID, 200, sandbox(ID, ""));
    daemon.on("PATCH /v1/sandboxes/" + OTHER, 404, "{\"error\":\"There is no such sandbox.\"}");
    assertThat(
            daemon.run(
                "update",
                ID,
                OTHER,
                "--cpus",
                "2",
                "--memory",
                "512",
                "--ttl",
                "1h",
                "--idle",
                "none",
                "--egress",
                "none"))
        .isEqualTo(1);
    assertThat(daemon.out()).isEqualTo("updated " + ID + "\n");
    assertThat(daemon.err()).contains("There is no such sandbox.");
    assertThat(daemon.body("PATCH /v1/sandboxes/" + ID))
        .isEqualTo(
            "{\"cpus\":2.0,\"memory_limit_mib\":512,\"ttl_secs\":3600,"
                + "\"idle_timeout_secs\":null,\"egress\":\"none\"}");
  }

  @Test
  void limitsAreLifted() {
    daemon.on("PATCH /v1/sandboxes/" + ID, 200, sandbox(ID, ""));
    assertThat(
            daemon.run(
                "update",
                ID,
                "--cpus",
                "none",
                "--memory",
                "none",
                "--pids",
                "none",
                "--io",
                "none"))
        .isEqualTo(0);
    assertThat(daemon.body("PATCH /v1/sandboxes/" + ID))
        .isEqualTo(
            "{\"cpus\":null,\"memory_limit_mib\":null,\"pids\":null,"
                + "\"io_bytes_per_sec\":null}");
  }

  @Test
  void labelsThatAreNotNamedStay() {
    daemon.on("GET /v1/sandboxes/" + ID, 200, sandbox(ID, ",\"labels\":{\"a\":\"1\",\"b\":\"2\"}"));
    daemon.on("PATCH /v1/sandboxes/" + ID, 200, sandbox(ID, ""));
    assertThat(daemon.run("update", ID, "--label", "c=3", "--unlabel", "a")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.body("PATCH /v1/sandboxes/" + ID)).pairs("labels"))
        .isEqualTo(java.util.Map.of("b", "2", "c", "3"));
  }

  @ParameterizedTest
  @CsvSource({"pause,paused", "resume,resumed"})
  void pausesAndResumesSeveralAtOnce(String verb, String done) {
    for (String id : List.of(ID, OTHER)) {
      daemon.on("POST /v1/sandboxes/%s/%s".formatted(id, verb), 200, sandbox(id, ""));
    }
    assertThat(daemon.run(verb, ID, OTHER)).isEqualTo(0);
    assertThat(daemon.out()).isEqualTo("%s %s\n%s %s\n".formatted(done, ID, done, OTHER));
    daemon.on("GET /v1/sandboxes?label=a%3Db", 200, "[" + sandbox(ID, "") + "]");
    assertThat(daemon.run(verb, "--with-label", "a=b", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).texts(done)).containsExactly(ID);
  }

  @Test
  void nothingToPauseIsSaid() {
    daemon.on("GET /v1/sandboxes", 200, "[]");
    assertThat(daemon.run("pause", "--all")).isEqualTo(0);
    assertThat(daemon.err()).contains("Nothing to pause");
  }

  @Test
  void showsAndChangesEgress() {
    daemon.on(
        "GET /v1/sandboxes/" + ID, 200, sandbox(ID, ",\"netns\":\"n\",\"egress\":\"internet\""));
    assertThat(daemon.run("egress", ID)).isEqualTo(0);
    assertThat(daemon.out()).isEqualTo(ID + " may reach: internet\n");
    daemon.on(
        "PATCH /v1/sandboxes/" + ID,
        200,
        sandbox(
            ID,
            ",\"netns\":\"n\",\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"a.org\"],\"cidrs\":[]}"));
    assertThat(daemon.run("egress", ID, "allow:a.org")).isEqualTo(0);
    assertThat(daemon.out()).isEqualTo(ID + " may reach: allow:a.org\n");
    assertThat(daemon.body("PATCH /v1/sandboxes/" + ID))
        .isEqualTo("{\"egress\":{\"policy\":\"allowlist\",\"domains\":[\"a.org\"],\"cidrs\":[]}}");
    daemon.on("GET /v1/sandboxes/" + ID, 200, sandbox(ID, ""));
    daemon.run("egress", ID);
    assertThat(daemon.out()).contains("has no network");
  }

  @Test
  void tellsAllAboutASandbox() {
    daemon.on(
        "GET /v1/sandboxes/" + ID,
        200,
        sandbox(
            ID,
            ",\"state\":\"running\",\"owner\":\"ann\",\"cpus\":2.0,\"pids\":64,"
                + "\"io_bytes_per_sec\":1048576,\"idle_timeout_secs\":60,\"on_timeout\":\"pause\","
                + "\"egress\":\"none\",\"netns\":\"forkd-1\",\"guest_addr\":\"172.30.255.2\","
                + "\"memory_limit_mib\":256,\"labels\":{\"a\":\"b\"}"));
    assertThat(daemon.run("info", ID)).isEqualTo(0);
    assertThat(daemon.out())
        .contains("running", "ann", "256 MiB", "1.0 MiB/s", "60 s", "pause", "none", "forkd-1")
        .contains("172.30.255.2", "a=b")
        .containsPattern("cpus +2\n");
    assertThat(daemon.run("info", ID, "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).text("owner")).isEqualTo("ann");
  }

  @Test
  void tellsOfOneThatEndedInTheDaemonsWords() {
    daemon.on("GET /v1/sandboxes/" + ID, 404, "{\"error\":\"It ended: it was killed.\"}");
    assertThat(daemon.run("info", ID)).isEqualTo(1);
    assertThat(daemon.err()).isEqualTo("forkd: It ended: it was killed.\n");
  }

  static List<List<String>> misuses() {
    return List.of(
        List.of("fork", "--tag", "t", "--cpus", "many"),
        List.of("fork", "--tag", "t", "--memory", "0"),
        List.of("fork", "--tag", "t", "--memory", "1T"),
        List.of("fork", "--tag", "t", "--io", "fast"),
        List.of("fork", "--tag", "t", "--idle", "soon"),
        List.of("update", ID, "--cpus", "many"),
        List.of("update", ID, "--pids", "2.5"),
        List.of("fork", "--tag", "t", "--on-timeout", "stop"),
        List.of("fork", "--tag", "t", "--egress", "all"),
        List.of("fork", "--tag", "t", "--label", "team"),
        List.of("fork", "--tag", "t", "--label", "=x"),
        List.of("ls", "--state", "dead"),
        List.of("ls", "--ended", "--state", "paused"),
        List.of("ls", "--ended", "-n", "0"),
        List.of("ls", "--label", "x"),
        List.of("update"),
        List.of("update", ID),
        List.of("update", "nobody", "--cpus", "1"),
        List.of("update", ID, "--ttl", "soon"),
        List.of("update", ID, "--label", "x"),
        List.of("pause"),
        List.of("pause", "nobody"),
        List.of("pause", ID, "--all"),
        List.of("resume", "--all", "--tag", "t"),
        List.of("egress"),
        List.of("egress", ID, "everything"),
        List.of("info"),
        List.of("info", "../x"),
        List.of("workspace"),
        List.of("workspace", "create", "dev"),
        List.of("workspace", "create", "../dev", "--tag", "t"),
        List.of("workspace", "suspend"),
        List.of("workspace", "rm", "a/b"));
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void whatIsUsedWronglyExitsWithTwoAndAsksNothingOfTheDaemon(List<String> args) {
    assertThat(daemon.run(args.toArray(String[]::new))).as(daemon.err()).isEqualTo(2);
    assertThat(daemon.err()).startsWith("forkd: ");
    assertThat(daemon.asked()).isEmpty();
  }

  @Test
  void sizesCanBeSaidInSeveralWays() {
    assertThat(new SizeConverter().convert("1024")).isEqualTo(1024);
    assertThat(new SizeConverter().convert("64K")).isEqualTo(65_536);
    assertThat(new SizeConverter.OfMemory().convert("512")).isEqualTo(512L << 20);
    assertThat(new SizeConverter.OfMemory().convert("2G")).isEqualTo(2L << 30);
  }
}
