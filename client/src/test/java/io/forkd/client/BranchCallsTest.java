package io.forkd.client;

import static io.forkd.client.FakeDaemon.reply;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BranchCallsTest {
  private static final String ID = "sb-0123456789-0001";
  private static final String BRANCH =
      """
      {"tag":"b1","created_at_unix":1700000000,"status":"writing","bootable":true,"branched_from":"%s",\
      "mode":"live","pause_ms":4.25,"diff_ms":31,"diff_physical_bytes":4096,"diff_logical_bytes":8192,\
      "parent_tag":"base","chain_depth":1,"expires_at_unix":1700003600,"content_hash":"sha256:ab"}"""
          .formatted(ID);
  private static final String CHILD =
      "{\"id\":\"%s\",\"snapshot_tag\":\"b1\",\"pid\":7,\"proof\":{\"hostname\":\"h\"}}"
          .formatted(ID);

  @Test
  void aBranchTellsHowItWasTaken() throws IOException {
    Asked<SnapshotInfo> asked =
        ask(
            BRANCH,
            client ->
                client.branch(
                    ID,
                    new BranchRequest(
                        Optional.of("b1"),
                        Optional.of(BranchMode.LIVE),
                        false,
                        Optional.of(Duration.ofHours(1)),
                        Optional.of(3))));

    assertThat(asked.line()).isEqualTo("POST /v1/sandboxes/%s/branch".formatted(ID));
    assertThat(asked.body())
        .isEqualTo(
            "{\"wait\":false,\"tag\":\"b1\",\"mode\":\"live\",\"ttl_secs\":3600,\"keep_last\":3}");
    SnapshotInfo branch = asked.answer();
    assertThat(branch.branchedFrom()).contains(ID);
    assertThat(branch.mode()).contains("live");
    assertThat(branch.pauseMs()).contains(4.25);
    assertThat(branch.diffMs()).contains(31.0);
    assertThat(branch.diffPhysicalBytes()).contains(4096L);
    assertThat(branch.diffLogicalBytes()).contains(8192L);
    assertThat(branch.parentTag()).contains("base");
    assertThat(branch.chainDepth()).isEqualTo(1);
    assertThat(branch.expiresAt()).contains(Instant.ofEpochSecond(1_700_003_600));
  }

  @Test
  void aBranchAsksForNothingThatWasNotSaid() throws IOException {
    Asked<SnapshotInfo> asked = ask(BRANCH, client -> client.branch(ID, BranchRequest.ofTag("b1")));
    assertThat(asked.body()).isEqualTo("{\"wait\":true,\"tag\":\"b1\"}");
    assertThat(
            BranchRequest.ofTag("b1")
                .withMode(BranchMode.DIFF)
                .withoutWaiting()
                .toJson()
                .toString())
        .isEqualTo("{\"wait\":false,\"tag\":\"b1\",\"mode\":\"diff\"}");
  }

  @Test
  void aSnapshotThatWasNeverBranchedReadsAsNone() {
    SnapshotInfo snapshot = SnapshotInfo.from(Json.parseObject("{\"tag\":\"base\"}"));
    assertThat(snapshot.branchedFrom()).isEmpty();
    assertThat(snapshot.mode()).isEmpty();
    assertThat(snapshot.pauseMs()).isEmpty();
    assertThat(snapshot.diffLogicalBytes()).isEmpty();
    assertThat(snapshot.parentTag()).isEmpty();
    assertThat(snapshot.chainDepth()).isZero();
    assertThat(snapshot.expiresAt()).isEmpty();
  }

  @Test
  void aFanOutTellsTheBranchTheChildrenAndTheFailures() throws IOException {
    Asked<FanOutcome> asked =
        ask(
            "{\"snapshot\":%s,\"sandboxes\":[%s],\"failures\":[{\"index\":1,\"error\":\"no room\"}]}"
                .formatted(BRANCH, CHILD),
            client ->
                client.forkSandbox(
                    ID,
                    new FanOutRequest(
                        2,
                        Optional.of("b1"),
                        Optional.of(BranchMode.FULL),
                        Optional.of(256),
                        Optional.of(Duration.ofMinutes(2)),
                        Optional.of(Duration.ofDays(1)),
                        Optional.of(5))));

    assertThat(asked.line()).isEqualTo("POST /v1/sandboxes/%s/fork".formatted(ID));
    assertThat(asked.body())
        .isEqualTo(
            "{\"n\":2,\"tag\":\"b1\",\"mode\":\"full\",\"memory_limit_mib\":256,\"ttl_secs\":120,"
                + "\"snapshot_ttl_secs\":86400,\"keep_last\":5}");
    assertThat(asked.answer().snapshot().tag()).isEqualTo("b1");
    assertThat(asked.answer().children().failures())
        .containsExactly(new ForkOutcome.Failure(1, "no room"));
    assertThat(asked.answer().children().sandboxes())
        .singleElement()
        .satisfies(child -> assertThat(child.proof().orElseThrow().hostname()).isEqualTo("h"));
    assertThat(FanOutRequest.of(3).toJson().toString()).isEqualTo("{\"n\":3}");
  }

  @Test
  void aFanOutWithoutItsSnapshotIsAnErrorThatNamesTheField() {
    assertThatThrownBy(
            () -> ask("{\"sandboxes\":[]}", client -> client.forkSandbox(ID, FanOutRequest.of(1))))
        .isInstanceOf(ForkdClientException.class)
        .hasMessageContaining("Expected snapshot to be an object and found nothing");
  }

  @Test
  void aRollbackAnswersWithTheSandboxAsItIsNow() throws IOException {
    Asked<SandboxInfo> asked =
        ask(
            "{\"id\":\"%s\",\"pid\":99,\"branch_count\":2,\"branch_mode\":\"live\",\"expires_at_unix\":5}"
                .formatted(ID),
            client -> client.rollback(ID, "b1"));

    assertThat(asked.line()).isEqualTo("POST /v1/sandboxes/%s/rollback".formatted(ID));
    assertThat(asked.body()).isEqualTo("{\"tag\":\"b1\"}");
    assertThat(asked.answer().pid()).isEqualTo(99);
    assertThat(asked.answer().branchCount()).isEqualTo(2);
    assertThat(asked.answer().branchMode()).contains("live");
    assertThat(asked.answer().expiresAt()).contains(Instant.ofEpochSecond(5));
  }

  @Test
  void aForkMayEndItsChildrenByItself() throws IOException {
    Asked<ForkOutcome> asked =
        ask(
            "[" + CHILD + "]",
            client ->
                client.fork("b1", 1, Optional.empty(), false, Optional.of(Duration.ofSeconds(90))));
    assertThat(asked.body()).isEqualTo("{\"snapshot_tag\":\"b1\",\"n\":1,\"ttl_secs\":90}");
    assertThat(asked.answer().sandboxes()).hasSize(1);
  }

  @Test
  void aSnapshotsDetailTellsItsFamily() throws IOException {
    String detail =
        BRANCH.substring(0, BRANCH.length() - 1)
            + ",\"vmstate_bytes\":12,\"parent_content_hash\":\"sha256:cd\",\"ancestors\":[\"root\",\"base\"],"
            + "\"dependents\":[\"b2\"],\"sandboxes\":[\"%s\"]}".formatted(ID);
    Asked<SnapshotDetail> asked = ask(detail, client -> client.snapshotInfo("b1"));

    assertThat(asked.line()).isEqualTo("GET /v1/snapshots/b1/info");
    assertThat(asked.answer().ancestors()).containsExactly("root", "base");
    assertThat(asked.answer().dependents()).containsExactly("b2");
    assertThat(asked.answer().sandboxes()).containsExactly(ID);
    assertThat(asked.answer().parentContentHash()).contains("sha256:cd");
    assertThat(asked.answer().vmstateBytes()).isEqualTo(12);
    assertThat(asked.answer().snapshot().contentHash()).isEqualTo("sha256:ab");
    assertThat(ask(detail, client -> client.snapshot("b1")).answer().status()).isEqualTo("writing");
  }

  @Test
  void aCompactionNamesBothTags() throws IOException {
    Asked<SnapshotInfo> asked = ask(BRANCH, client -> client.compact("deep", "flat"));
    assertThat(asked.line()).isEqualTo("POST /v1/snapshots/deep/compact");
    assertThat(asked.body()).isEqualTo("{\"to\":\"flat\"}");
    assertThat(asked.answer().tag()).isEqualTo("b1");
  }

  @Test
  void aRemovalSaysWhatBecomesOfTheDependents() throws IOException {
    assertThat(removal(false, false)).isEqualTo("DELETE /v1/snapshots/b1");
    assertThat(removal(true, false)).isEqualTo("DELETE /v1/snapshots/b1?cascade=true");
    assertThat(removal(false, true)).isEqualTo("DELETE /v1/snapshots/b1?force=true");
    assertThat(removal(true, true)).isEqualTo("DELETE /v1/snapshots/b1?cascade=true&force=true");
  }

  @Test
  void aCollectionTellsWhatWentAndWhy() throws IOException {
    Asked<GcOutcome> asked =
        ask(
            "{\"dry_run\":true,\"freed_bytes\":9,\"collected\":[{\"tag\":\"b1\",\"reason\":\"expired\",\"bytes\":9}]}",
            client -> client.collect(true));
    assertThat(asked.line()).isEqualTo("POST /v1/gc");
    assertThat(asked.body()).isEqualTo("{\"dry_run\":true}");
    assertThat(asked.answer().dryRun()).isTrue();
    assertThat(asked.answer().freedBytes()).isEqualTo(9);
    assertThat(asked.answer().collected()).containsExactly(new GcOutcome.Item("b1", "expired", 9));
  }

  @Test
  void aComparisonTellsFilesPagesAndProcesses() throws IOException {
    Asked<Comparison> asked =
        ask(
            """
            {"a":"base","b":"b1","files":[{"path":"/etc/motd","change":"changed","type":"file","size_a":1,"size_b":2,\
            "what":["content"],"lines_added":2,"lines_removed":1,"unified":"@@"},{"path":"/x","change":"added","type":"directory"}],\
            "pages":{"total":100,"compared":10,"differing":3,"page_bytes":4096},\
            "processes":{"in_a":5,"in_b":6,"only_a":[],"only_b":["41 sleep"]}}""",
            client -> client.diff("base", "b1", true));

    assertThat(asked.line()).isEqualTo("POST /v1/diff");
    assertThat(asked.body()).isEqualTo("{\"a\":\"base\",\"b\":\"b1\",\"text\":true}");
    Comparison.FileChange motd = asked.answer().files().getFirst();
    assertThat(motd.unified()).contains("@@");
    assertThat(motd.sizeB()).contains(2L);
    assertThat(motd.linesAdded()).isEqualTo(2);
    assertThat(asked.answer().files().getLast().sizeA()).isEmpty();
    assertThat(asked.answer().pages().differingBytes()).isEqualTo(3 * 4096);
    assertThat(asked.answer().processes().onlyB()).containsExactly("41 sleep");
  }

  private static String removal(boolean cascade, boolean force) throws IOException {
    return ask(
            "{}",
            client -> {
              client.removeSnapshot("b1", cascade, force);
              return "";
            })
        .line();
  }

  /** An answer and the request it was given to. */
  private record Asked<T>(T answer, FakeDaemon.Request request) {
    String line() {
      return request.method() + " " + request.path();
    }

    String body() {
      return request.body();
    }
  }

  private static <T> Asked<T> ask(String answer, Function<ForkdClient, T> call) throws IOException {
    try (FakeDaemon daemon =
            FakeDaemon.start(
                (request, out) -> {
                  out.write(reply(200, "", answer).getBytes(UTF_8));
                  return true;
                });
        ForkdClient client = ForkdClient.connect(daemon.endpoint())) {
      T result = call.apply(client);
      return new Asked<>(result, daemon.requests().getFirst());
    }
  }
}
