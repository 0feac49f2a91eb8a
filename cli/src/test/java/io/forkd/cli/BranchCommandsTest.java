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
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class BranchCommandsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String BRANCH = "POST /v1/sandboxes/" + ID + "/branch";
  private static final String FAN_OUT = "POST /v1/sandboxes/" + ID + "/fork";

  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon = new FakeRoutes().on(BRANCH, 201, snapshot("ready"));
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void aBranchTellsModePauseDeltaAndTheNextStep() {
    assertThat(daemon.run("branch", ID)).isEqualTo(0);
    assertThat(daemon.out())
        .isEqualTo(
            "Branch b1 of %s: live, paused 4.2 ms, 12.0 MiB changed, based on base. Next: forkd fork --tag b1\n"
                .formatted(ID));
    assertThat(daemon.body(BRANCH)).isEqualTo("{\"wait\":true}");
  }

  @Test
  void aBranchPassesOnAllItIsTold() {
    assertThat(
            daemon.run(
                "branch",
                ID,
                "--tag",
                "b1",
                "--mode",
                "full",
                "--no-wait",
                "--ttl",
                "90s",
                "--keep-last",
                "3"))
        .isEqualTo(0);
    assertThat(daemon.body(BRANCH))
        .isEqualTo(
            "{\"wait\":false,\"tag\":\"b1\",\"mode\":\"full\",\"ttl_secs\":90,\"keep_last\":3}");
  }

  @Test
  void aBranchStillBeingWrittenSaysHowToSeeItReady() {
    daemon.on(BRANCH, 201, snapshot("writing"));
    assertThat(daemon.run("branch", ID, "--no-wait")).isEqualTo(0);
    assertThat(daemon.out()).contains("still being written", "forkd snapshot-info b1");
  }

  @Test
  void aBranchThatCouldNotBeKeptIsAFailure() {
    daemon.on(
        BRANCH, 201, "{\"tag\":\"b1\",\"status\":\"failed\",\"warning\":\"the disk is full\"}");
    assertThat(daemon.run("branch", ID)).isEqualTo(1);
    assertThat(daemon.out()).contains("could not be kept");
    assertThat(daemon.err()).contains("the disk is full");
  }

  @Test
  void aBranchForProgramsIsWhatTheDaemonSaid() {
    assertThat(daemon.run("branch", ID, "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out())).isEqualTo(Json.parseObject(snapshot("ready")));
  }

  @Test
  void snapshotFromASandboxIsABranch() {
    assertThat(daemon.run("snapshot", "--from-sandbox", ID, "--live", "--no-wait")).isEqualTo(0);
    assertThat(daemon.body(BRANCH)).isEqualTo("{\"wait\":false,\"mode\":\"live\"}");
    assertThat(daemon.run("snapshot", "--from-sandbox", ID, "--diff", "--tag", "x")).isEqualTo(0);
    assertThat(daemon.body(BRANCH)).isEqualTo("{\"wait\":true,\"tag\":\"x\",\"mode\":\"diff\"}");
  }

  @Test
  void aForkFromASandboxShowsTheBranchAndEveryChild() {
    daemon.on(FAN_OUT, 201, fanOut("[]"));
    assertThat(
            daemon.run(
                "fork",
                "--from",
                ID,
                "-n",
                "2",
                "--mode",
                "diff",
                "--ttl",
                "2h",
                "--snapshot-ttl",
                "7d",
                "--keep-last",
                "4",
                "--memory-limit-mib",
                "256"))
        .isEqualTo(0);
    assertThat(daemon.body(FAN_OUT))
        .isEqualTo(
            "{\"n\":2,\"mode\":\"diff\",\"memory_limit_mib\":256,\"ttl_secs\":7200,"
                + "\"snapshot_ttl_secs\":604800,\"keep_last\":4}");
    assertThat(daemon.out())
        .contains("Branch b1 of " + ID, "sb-aaaaaaaaaa-0001", "2 of 2 alive", "kill --tag b1");
  }

  @Test
  void aForkFromASandboxThatLostAChildNamesIt() {
    daemon.on(FAN_OUT, 201, fanOut("[{\"index\":2,\"error\":\"no room\"}]"));
    assertThat(daemon.run("fork", "--from", ID, "-n", "3", "--json")).isEqualTo(1);
    assertThat(Json.parseObject(daemon.out()).integer("alive")).isEqualTo(2);
    assertThat(Json.parseObject(daemon.out()).object("snapshot").orElseThrow().text("tag"))
        .isEqualTo("b1");
    assertThat(daemon.run("fork", "--from", ID, "-n", "3", "--tag", "b1")).isEqualTo(1);
    assertThat(daemon.err()).contains("child 2 failed: no room");
  }

  @Test
  void plainForksMayEndByThemselvesToo() {
    daemon.on("POST /v1/sandboxes", 201, "[" + child(0) + "]");
    assertThat(daemon.run("fork", "--tag", "t", "--ttl", "15m")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/sandboxes"))
        .isEqualTo("{\"snapshot_tag\":\"t\",\"n\":1,\"ttl_secs\":900}");
  }

  @Test
  void aRollbackTellsTheNewProcess() {
    daemon.on("POST /v1/sandboxes/" + ID + "/rollback", 200, child(0));
    assertThat(daemon.run("rollback", ID, "b1")).isEqualTo(0);
    assertThat(daemon.out()).contains(ID + " is back at b1", "pid 1000");
  }

  @Test
  void aRollbackToAStrangerIsRefusedInTheDaemonsWords() {
    daemon.on(
        "POST /v1/sandboxes/" + ID + "/rollback", 409, "{\"error\":\"b9 is of another family.\"}");
    assertThat(daemon.run("rollback", ID, "b9")).isEqualTo(1);
    assertThat(daemon.err()).isEqualTo("forkd: b9 is of another family.\n");
  }

  @Test
  void sandboxesTellTheirBranchesAndHowLongTheyHave() {
    long soon = System.currentTimeMillis() / 1000 + 86_400 * 10;
    daemon.on(
        "GET /v1/sandboxes",
        200,
        "[{\"id\":\"%s\",\"branch_count\":2,\"branch_mode\":\"live\",\"expires_at_unix\":%d}]"
            .formatted(ID, soon));
    assertThat(daemon.run("ls")).isEqualTo(0);
    assertThat(daemon.out()).contains("BRANCHES", "2, live", "9 d left");
  }

  @Test
  void theDaemonTellsHowItBranches() {
    daemon.on(
        "GET /v1/status",
        200,
        "{\"branching\":{\"best\":\"live\",\"reason\":\"all there\",\"in_flight\":1,\"cap\":4}}");
    assertThat(daemon.run("daemon", "status")).isEqualTo(0);
    assertThat(daemon.out()).contains("live (all there), 1 of 4 under way");
  }

  static List<List<String>> misuses() {
    return List.of(
        List.of("branch"),
        List.of("branch", "not-an-id"),
        List.of("branch", ID, "--tag", "../x"),
        List.of("branch", ID, "--mode", "quick"),
        List.of("branch", ID, "--ttl", "soon"),
        List.of("branch", ID, "--ttl", "0s"),
        List.of("branch", ID, "--keep-last", "0"),
        List.of("snapshot", "--recipe", "r"),
        List.of("snapshot", "--tag", "t", "--recipe", "r", "--live"),
        List.of("snapshot", "--tag", "t", "--recipe", "r", "--no-wait"),
        List.of("snapshot", "--from-sandbox", ID, "--recipe", "r"),
        List.of("snapshot", "--from-sandbox", ID, "--memory-mib", "1"),
        List.of("snapshot", "--from-sandbox", ID, "--diff", "--live"),
        List.of("fork", "--tag", "t", "--mode", "live"),
        List.of("fork", "--tag", "t", "--keep-last", "1"),
        List.of("fork", "--from", ID, "--keep-last", "0"),
        List.of("fork", "--from", "t"),
        List.of("rollback", ID),
        List.of("rollback", "b1", ID));
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void whatIsUsedWronglyExitsWithTwoAndAsksNothingOfTheDaemon(List<String> args) {
    assertThat(daemon.run(args.toArray(String[]::new))).isEqualTo(2);
    assertThat(daemon.err()).startsWith("forkd: ");
    assertThat(daemon.asked()).isEmpty();
  }

  @Test
  void aBadDurationIsRefusedWithAnExample() {
    daemon.run("branch", ID, "--ttl", "1 week");
    assertThat(daemon.err()).contains("'1 week' is not a duration", "90s, 15m, 2h or 7d");
  }

  @Test
  void aBadModeIsRefusedWithTheGoodOnes() {
    daemon.run("branch", ID, "--mode", "quick");
    assertThat(daemon.err()).contains("'quick' is not a mode: use full, diff or live");
  }

  private static String snapshot(String status) {
    return ("{\"tag\":\"b1\",\"status\":\"%s\",\"bootable\":true,\"branched_from\":\"%s\",\"mode\":\"live\","
            + "\"pause_ms\":4.2,\"diff_logical_bytes\":12582912,\"parent_tag\":\"base\",\"chain_depth\":1}")
        .formatted(status, ID);
  }

  private static String fanOut(String failures) {
    return "{\"snapshot\":%s,\"sandboxes\":[%s,%s],\"failures\":%s}"
        .formatted(snapshot("writing"), child(0), child(1), failures);
  }

  private static String child(int number) {
    return "{\"id\":\"sb-aaaaaaaaaa-%04d\",\"snapshot_tag\":\"b1\",\"pid\":%d}"
        .formatted(number, 1000 + number);
  }
}
