package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(60)
class ChainCommandsTest {
  private static final String ID = "sb-0123456789-0000";
  private static final String CHAIN =
      """
      [{"tag":"base","status":"ready","bootable":true,"memory_physical_bytes":209715200,"memory_mib":512,"source":"python-numpy"},
      {"tag":"b1","status":"ready","bootable":true,"parent_tag":"base","chain_depth":1,"diff_logical_bytes":12582912,"branched_from":"%s"},
      {"tag":"b2","status":"failed","bootable":false,"parent_tag":"b1","chain_depth":2,"warning":"the disk is full"}]\
      """
          .formatted(ID);

  private FakeRoutes daemon;

  @BeforeEach
  void start() throws IOException {
    daemon =
        new FakeRoutes().on("GET /v1/snapshots", 200, CHAIN).on("GET /v1/sandboxes", 200, "[]");
  }

  @AfterEach
  void stop() {
    daemon.close();
  }

  @Test
  void aSnapshotTellsItsChainItsDependentsAndItsHashes() {
    daemon.on(
        "GET /v1/snapshots/b1/info",
        200,
        """
        {"tag":"b1","status":"ready","bootable":true,"branched_from":"%s","mode":"live","pause_ms":4.2,"diff_ms":31,
        "diff_logical_bytes":12582912,"parent_tag":"base","chain_depth":2,"ancestors":["root","base"],"dependents":["b2","b3"],
        "sandboxes":["%s"],"content_hash":"sha256:ab","parent_content_hash":"sha256:cd","vmstate_bytes":2048,
        "memory_physical_bytes":1048576,"memory_logical_bytes":536870912,"expires_at_unix":1}\
        """
            .formatted(ID, ID));
    assertThat(daemon.run("snapshot-info", "b1")).isEqualTo(0);
    assertThat(daemon.out())
        .contains("root → base → b1", "b2, b3", "sha256:ab", "sha256:cd", "copied in 31.0 ms")
        .contains("1.0 MiB of delta of 512 MiB, 2.0 KiB of device state")
        .contains("collected      when nothing needs it")
        .contains("sandboxes      " + ID)
        .contains("branched from  %s: live, paused 4.2 ms, 12.0 MiB changed".formatted(ID));
    assertThat(daemon.run("snapshot-info", "b1", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).texts("dependents")).containsExactly("b2", "b3");
  }

  @Test
  void aChainIsFlattened() {
    daemon.on(
        "POST /v1/snapshots/b1/compact",
        201,
        "{\"tag\":\"flat\",\"memory_physical_bytes\":209715200}");
    assertThat(daemon.run("snapshot-compact", "--from", "b1", "--to", "flat")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/snapshots/b1/compact")).isEqualTo("{\"to\":\"flat\"}");
    assertThat(daemon.out()).contains("Snapshot flat: all of b1 in 200 MiB", "fork --tag flat");
  }

  @Test
  void imagesTellParentDepthDeltaAndWhyOneFailed() {
    assertThat(daemon.run("images")).isEqualTo(0);
    assertThat(daemon.out().lines().toList().getFirst())
        .containsSubsequence("TAG", "PARENT", "DEPTH", "SIZE", "DELTA", "STATUS");
    assertThat(daemon.out().lines())
        .anyMatch(line -> line.matches("b1 +base +1 .*12\\.0 MiB.*" + ID + ".*ready"))
        .anyMatch(line -> line.matches("b2 +b1 +2 .*failed: the disk is full"));
  }

  @Test
  void aRefusedRemovalSaysWhatTheDaemonSaidAndNothingThatDoesNotHelp() {
    String refusal = "base has running sandboxes: kill them first, or use --force.";
    daemon.on("DELETE /v1/snapshots/base", 409, "{\"error\":\"%s\"}".formatted(refusal));
    assertThat(daemon.run("rmi", "base")).isEqualTo(1);
    assertThat(daemon.err()).contains(refusal).doesNotContain("cascade");
  }

  @Test
  void aCascadeNamesAllThatWent() {
    daemon.on("DELETE /v1/snapshots/base?cascade=true", 204, "");
    assertThat(daemon.run("rmi", "--cascade", "base", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).texts("removed")).containsExactly("base", "b1", "b2");
    daemon.on("DELETE /v1/snapshots/b1?cascade=true", 204, "");
    assertThat(daemon.run("rmi", "--cascade", "base", "b1", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).texts("removed")).containsExactly("b1", "b2", "base");
  }

  @Test
  void aFamilyMayBeRemovedInAnyOrder() {
    for (String tag : List.of("base", "b1", "b2")) {
      daemon.on("DELETE /v1/snapshots/" + tag, 204, "");
    }
    assertThat(daemon.run("rmi", "base", "b2", "b1")).isEqualTo(0);
    assertThat(daemon.asked())
        .containsExactly(
            "GET /v1/snapshots",
            "DELETE /v1/snapshots/b2",
            "DELETE /v1/snapshots/b1",
            "DELETE /v1/snapshots/base");
  }

  @Test
  void aForcedRemovalSaysSo() {
    daemon.on("DELETE /v1/snapshots/b1?force=true", 204, "");
    assertThat(daemon.run("rmi", "--force", "b1")).isEqualTo(0);
    assertThat(daemon.out()).isEqualTo("removed b1\n");
  }

  @Test
  void aCollectionTellsWhatWentAndWhatItFreed() {
    daemon.on(
        "POST /v1/gc",
        200,
        "{\"dry_run\":false,\"freed_bytes\":1048576,\"collected\":[{\"tag\":\"b1\",\"reason\":\"expired\",\"bytes\":1048576}]}");
    assertThat(daemon.run("gc")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/gc")).isEqualTo("{\"dry_run\":false}");
    assertThat(daemon.out()).contains("b1", "expired", "1.0 MiB freed.");
    daemon.on("POST /v1/gc", 200, "{\"dry_run\":true,\"collected\":[]}");
    assertThat(daemon.run("gc", "--dry-run")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/gc")).isEqualTo("{\"dry_run\":true}");
    assertThat(daemon.out()).contains("Nothing to collect");
  }

  @Test
  void aTreeForProgramsNamesChildrenInsteadOfNestingThem() {
    daemon.on(
        "GET /v1/sandboxes", 200, "[{\"id\":\"%s\",\"snapshot_tag\":\"gone\"}]".formatted(ID));
    assertThat(daemon.run("tree", "--json")).isEqualTo(0);
    JsonObject tree = Json.parseObject(daemon.out());
    assertThat(tree.texts("roots")).containsExactlyInAnyOrder("base", "gone");
    JsonObject base = byTag(tree, "base");
    assertThat(base.texts("children")).containsExactly("b1");
    assertThat(base.flag("missing")).isFalse();
    assertThat(base.number("memory_physical_bytes")).isEqualTo(209_715_200);
    assertThat(byTag(tree, "gone").flag("missing")).isTrue();
    assertThat(byTag(tree, "gone").texts("sandboxes")).containsExactly(ID);
    assertThat(tree.objects("sandboxes")).hasSize(1);
  }

  @Test
  void aTreeShowsTheFamily() {
    assertThat(daemon.run("tree")).isEqualTo(0);
    assertThat(daemon.out()).contains("base  200 MiB", "└─ b1  Δ 12.0 MiB", "   └─ b2");
    daemon.on("GET /v1/snapshots", 200, "[]");
    assertThat(daemon.run("tree")).isEqualTo(0);
    assertThat(daemon.err()).contains("No snapshots yet");
  }

  @Test
  void aDiffIsAlwaysASuccess() {
    daemon.on(
        "POST /v1/diff",
        200,
        """
        {"a":"base","b":"b1","files":[{"path":"/x","change":"added","type":"directory"}],
        "pages":{"total":10,"differing":1,"page_bytes":4096},"processes":{"in_a":5,"in_b":6}}\
        """);
    assertThat(daemon.run("diff", "base", ID)).isEqualTo(0);
    assertThat(daemon.body("POST /v1/diff"))
        .isEqualTo("{\"a\":\"base\",\"b\":\"%s\",\"text\":true}".formatted(ID));
    assertThat(daemon.out()).contains("added /x (directory)", "Files: 1 added");
    assertThat(daemon.run("diff", "base", "b1", "--stat")).isEqualTo(0);
    assertThat(daemon.body("POST /v1/diff")).contains("\"text\":false");
    assertThat(daemon.out()).contains("/x | added (directory)");
    assertThat(daemon.run("diff", "base", "b1", "--json")).isEqualTo(0);
    assertThat(Json.parseObject(daemon.out()).objects("files")).hasSize(1);
  }

  static List<List<String>> misuses() {
    return List.of(
        List.of("snapshot-diff", "--from", "base", "--tag", "new"),
        List.of("snapshot-diff", "--from", "base", "--exec", "x"),
        List.of("snapshot-diff", "--from", "base", "--tag", "base", "--exec", "x"),
        List.of(
            "snapshot-diff", "--from", "base", "--tag", "n", "--exec", "x", "--timeout-secs", "0"),
        List.of("snapshot-info"),
        List.of("snapshot-info", "../x"),
        List.of("snapshot-compact", "--from", "base"),
        List.of("snapshot-compact", "--from", "base", "--to", "base"),
        List.of("rmi", "--cascade", "--force", "base"),
        List.of("rmi", "--cascade"),
        List.of("diff", "base"),
        List.of("diff", "base", "b 1"),
        List.of("gc", "base"),
        List.of("tree", "base"));
  }

  @ParameterizedTest
  @MethodSource("misuses")
  void whatIsUsedWronglyExitsWithTwoAndAsksNothingOfTheDaemon(List<String> args) {
    assertThat(daemon.run(args.toArray(String[]::new))).isEqualTo(2);
    assertThat(daemon.err()).startsWith("forkd: ");
    assertThat(daemon.asked()).isEmpty();
  }

  private static JsonObject byTag(JsonObject tree, String tag) {
    return tree.objects("snapshots").stream()
        .filter(snapshot -> snapshot.text("tag").equals(tag))
        .findFirst()
        .orElseThrow();
  }
}
