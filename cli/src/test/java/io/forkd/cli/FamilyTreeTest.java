package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Samples;
import io.forkd.client.SandboxInfo;
import io.forkd.client.SnapshotInfo;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class FamilyTreeTest {
  private static final Instant NOW = Instant.ofEpochSecond(1_000_000);

  @Test
  void branchesStandUnderTheirParentsAndSandboxesUnderTheirSnapshots() {
    List<String> lines =
        lines(
            List.of(
                snapshot("base", 7200, ""),
                snapshot(
                    "b1",
                    600,
                    ",\"parent_tag\":\"base\",\"mode\":\"live\",\"branched_from\":\"sb-1\",\"diff_logical_bytes\":12582912"),
                snapshot("b2", 300, ",\"parent_tag\":\"base\",\"branched_from\":\"sb-9\""),
                snapshot("b1a", 60, ",\"parent_tag\":\"b1\"")),
            List.of(
                sandbox("sb-1", "base", 3600, ",\"branch_count\":1"),
                sandbox("sb-2", "b1", 30, ",\"branch_count\":2,\"expires_at_unix\":1000090")));

    assertThat(lines)
        .containsExactly(
            "base  1.0 MiB · 2 h",
            "├─ sb-1  running 60 min · 1 branch",
            "├─ b1  Δ 12.0 MiB · live · 10 min · from sb-1",
            "│  ├─ sb-2  running 30 s · 2 branches · ends in 90 s",
            "│  └─ b1a  Δ 1.0 MiB · 60 s",
            "└─ b2  Δ 1.0 MiB · 5 min · from sb-9 (ended)");
  }

  @Test
  void orphansStandUnderTheirMissingParent() {
    List<String> lines =
        lines(
            List.of(snapshot("orphan", 60, ",\"parent_tag\":\"lost\"")),
            List.of(sandbox("sb-1", "lost", 5, ""), sandbox("sb-2", "removed", 5, "")));

    assertThat(lines)
        .containsExactly(
            "lost  missing: what is based on it cannot be forked",
            "├─ sb-1  running 5 s",
            "└─ orphan  Δ 1.0 MiB · 60 s",
            "removed  removed; its children run on",
            "└─ sb-2  running 5 s");
  }

  @Test
  void severalRootsStandInTheOrderTheyWereMade() {
    assertThat(
            lines(
                List.of(
                    snapshot("young", 60, ""),
                    snapshot("old", 600, ""),
                    snapshot("full", 30, ",\"mode\":\"full\",\"branched_from\":\"sb-1\"")),
                List.of()))
        .containsExactly(
            "old  1.0 MiB · 10 min",
            "young  1.0 MiB · 60 s",
            "full  1.0 MiB · full · 30 s · from sb-1 (ended)");
  }

  @Test
  void linesFitATerminal() {
    String id = "sb-6f4ffac2a0-0000";
    String reason =
        "snapshot x is a delta to snapshot base with content hash 0123456789ab, but there is none.";
    assertThat(
            lines(
                List.of(
                    snapshot("base", 60, ""),
                    snapshot(
                        "branch-" + id + "-1794787353-ce06",
                        60,
                        ",\"parent_tag\":\"base\",\"branched_from\":\"%s\"".formatted(id)),
                    Samples.snapshot(
                        "{\"tag\":\"x\",\"created_at_unix\":999990,\"status\":\"ready\",\"warning\":\"%s\"}"
                            .formatted(reason))),
                List.of()))
        .containsExactly(
            "base  1.0 MiB · 60 s",
            "└─ branch-sb-6f4ffac2a0-0000-1794787353-ce06  Δ 1.0 MiB · 60 s",
            "x  0 B · 10 s · not restorable here: see forkd snapshot-info")
        .allMatch(line -> line.length() <= 80);
  }

  @Test
  void whatIsNotReadySaysWhyAndWhatExpiresSaysWhen() {
    assertThat(
            lines(
                List.of(
                    Samples.snapshot(
                        "{\"tag\":\"a\",\"created_at_unix\":999990,\"status\":\"failed\",\"warning\":\"disk"
                            + " full\"}"),
                    Samples.snapshot(
                        "{\"tag\":\"b\",\"created_at_unix\":999991,\"status\":\"writing\",\"bootable\":true}"),
                    Samples.snapshot(
                        "{\"tag\":\"c\",\"created_at_unix\":999992,\"status\":\"ready\",\"warning\":\"the"
                            + " parent changed\"}"),
                    snapshot("d", 1, ",\"expires_at_unix\":1000060"),
                    snapshot("e", 0, ",\"expires_at_unix\":999999")),
                List.of()))
        .containsExactly(
            "a  0 B · 10 s · failed: disk full",
            "b  0 B · 9 s · writing",
            "c  0 B · 8 s · not restorable here: the parent changed",
            "d  1.0 MiB · 1 s · collected in 60 s",
            "e  1.0 MiB · 0 s · collected when nothing needs it");
  }

  @Test
  void aChainOfThousandsIsDrawnToItsEnd() {
    List<SnapshotInfo> chain = new ArrayList<>(List.of(snapshot("s0", 5000, "")));
    for (int i = 1; i < 3000; i++) {
      chain.add(snapshot("s" + i, 5000 - i, ",\"parent_tag\":\"s%d\"".formatted(i - 1)));
    }
    List<String> lines = lines(chain, List.of());
    assertThat(lines).hasSize(3000);
    assertThat(lines.getLast()).startsWith("   ".repeat(2998) + "└─ s2999");
  }

  @Test
  void snapshotsThatAreEachOthersParentsAreDrawnOnce() {
    assertThat(
            lines(
                List.of(
                    snapshot("a", 60, ",\"parent_tag\":\"b\""),
                    snapshot("b", 50, ",\"parent_tag\":\"a\""),
                    snapshot("self", 40, ",\"parent_tag\":\"self\"")),
                List.of()))
        .containsExactly(
            "a  Δ 1.0 MiB · 60 s",
            "└─ b  Δ 1.0 MiB · 50 s",
            "   └─ a  its own ancestor: damaged",
            "self  Δ 1.0 MiB · 40 s",
            "└─ self  its own ancestor: damaged");
  }

  @Test
  void aHundredSandboxesFoldButThoseThatWereBranchedShow() {
    List<SandboxInfo> sandboxes = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sandboxes.add(sandbox("sb-" + i, "base", 100 - i, i == 50 ? ",\"branch_count\":3" : ""));
    }
    List<String> lines = lines(List.of(snapshot("base", 200, "")), sandboxes);
    assertThat(lines).hasSize(11);
    assertThat(lines).contains("├─ sb-50  running 50 s · 3 branches", "└─ … 91 more sandboxes");
  }

  @Test
  void noFamilyNoLines() {
    assertThat(lines(List.of(), List.of())).isEmpty();
  }

  private static List<String> lines(List<SnapshotInfo> snapshots, List<SandboxInfo> sandboxes) {
    try (TestContext test = new TestContext()) {
      return FamilyTree.lines(snapshots, sandboxes, NOW, test.with(Map.of()).terminal());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static SnapshotInfo snapshot(String tag, int secondsAgo, String more) {
    return Samples.snapshot(
        "{\"tag\":\"%s\",\"created_at_unix\":%d,\"status\":\"ready\",\"bootable\":true,\"memory_physical_bytes\":1048576%s}"
            .formatted(tag, NOW.getEpochSecond() - secondsAgo, more));
  }

  private static SandboxInfo sandbox(String id, String tag, int secondsAgo, String more) {
    return Samples.sandbox(
        "{\"id\":\"%s\",\"snapshot_tag\":\"%s\",\"created_at_unix\":%d%s}"
            .formatted(id, tag, NOW.getEpochSecond() - secondsAgo, more));
  }
}
