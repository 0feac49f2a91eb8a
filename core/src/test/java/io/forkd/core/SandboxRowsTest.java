package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ForkProof;
import io.forkd.registry.Registry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxRowsTest {
  private static final ForkProof PROOF =
      new ForkProof("host", "0123", "boot", -3, 86_400_000, 64, true, "uuid", List.of("python"));
  private static final SandboxRecord BARE =
      new SandboxRecord(
          SandboxId.of("sb-0123456789-0007"),
          SandboxRecord.State.PARKED,
          Tag.of("python-numpy"),
          "birth",
          7,
          12345,
          987_654_321_012L,
          0,
          Optional.empty(),
          Optional.empty(),
          "/sys/fs/cgroup/x",
          1_700_000_000,
          ChildSpec.PLAIN,
          false,
          Optional.empty(),
          Map.of(),
          Optional.empty(),
          0,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  private static final ChildSpec GIVEN =
      new ChildSpec(
          new Limits(Optional.of(256), Optional.of(0.5), Optional.of(100), Optional.of(1L << 20)),
          new Lifetime(
              Optional.of(Duration.ofMinutes(5)),
              Optional.of(Duration.ofSeconds(30)),
              Lifetime.AtEnd.PAUSE),
          Optional.of(new Egress.Allowlist(List.of("example.org"), List.of("192.0.2.0/24"))),
          Map.of("team", "blue"),
          Optional.of("alice"));

  @TempDir Path temp;

  private Registry registry;
  private SandboxRows rows;

  @BeforeEach
  void open() {
    registry = Registry.open(temp);
    rows = new SandboxRows(registry);
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private String text() {
    return registry.sandboxes().get(BARE.id().value()).orElseThrow().json();
  }

  private void replace(String json) {
    registry.sandboxes().put(BARE.id().value(), "RUNNING", json);
  }

  private static SandboxRecord full(SandboxRecord.State state) {
    return new SandboxRecord(
        BARE.id(),
        state,
        BARE.snapshotTag(),
        "birth",
        7,
        12345,
        1,
        3,
        Optional.of(42),
        Optional.of(BranchWay.SOFT_DIRTY),
        "",
        1_700_000_000,
        GIVEN,
        true,
        Optional.of(PROOF),
        Map.of("spawn", 1.25, "total", 99.5),
        Optional.of(new RestoredCost(39.5, 19_968, 0)),
        5,
        Optional.of(1_800_000_000L),
        Optional.of(Tag.of("paused")),
        Optional.of(Tag.of("origin")),
        Optional.of("forkd-12345678-7"));
  }

  @ParameterizedTest
  @EnumSource
  void everythingIsReadBackAsItWas(SandboxRecord.State state) {
    rows.put(full(state));
    assertThat(rows.find(BARE.id())).contains(full(state));
    assertThat(rows.ids()).containsExactly(BARE.id());
  }

  @Test
  void whatIsAbsentStaysAbsent() {
    rows.put(BARE);
    assertThat(rows.find(BARE.id())).contains(BARE);
    assertThat(text()).doesNotContain("null", "proof", "memory_mib");
  }

  @Test
  void aNewRecordReplacesTheOldOneAlsoForGood() {
    rows.put(BARE);
    rows.putDurably(full(SandboxRecord.State.RUNNING));
    assertThat(rows.find(BARE.id())).contains(full(SandboxRecord.State.RUNNING));
    rows.remove(BARE.id());
    assertThat(rows.find(BARE.id())).isEmpty();
    assertThat(rows.ids()).isEmpty();
  }

  @Test
  void everyBeginningOfARecordButTheWholeOneIsNone() {
    rows.put(full(SandboxRecord.State.RUNNING));
    String whole = text();
    for (int length = 0; length < whole.length(); length++) {
      replace(whole.substring(0, length));
      assertThat(rows.find(BARE.id())).as("%d characters", length).isEmpty();
    }
    assertThat(rows.ids()).as("it is known, to be cleaned away").containsExactly(BARE.id());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "42",
        "[]",
        "{}",
        "{\"phases_ms\": {}}",
        "{\"id\": \"../../etc\", \"phases_ms\": {}}",
        "{\"id\": 7}"
      })
  void garbageIsNoRecord(String content) {
    replace(content);
    assertThat(rows.find(BARE.id())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"id", "state", "snapshot_tag", "cgroup", "phases_ms"})
  void aRecordThatLacksSomethingIsNone(String field) {
    rows.put(BARE);
    String whole = text();
    String without = whole.replace("\"%s\":".formatted(field), "\"%s_\":".formatted(field));
    assertThat(without).isNotEqualTo(whole);
    replace(without);
    assertThat(rows.find(BARE.id())).isEmpty();
  }

  @Test
  void anothersRecordIsNotBelieved() {
    rows.put(BARE);
    replace(text().replace("0007", "0008"));
    assertThat(rows.find(BARE.id())).isEmpty();
  }

  @Test
  void whatLaterVersionsAddIsIgnored() {
    rows.put(BARE);
    replace(text().replaceFirst("\\{", "{\"added_later\": [1],"));
    assertThat(rows.find(BARE.id())).contains(BARE);
  }

  @Test
  void onlyASandboxWithItsProofIsShown() {
    assertThat(full(SandboxRecord.State.RUNNING).toSandbox().proof()).isEqualTo(PROOF);
    assertThat(full(SandboxRecord.State.RUNNING).toSandbox().memoryLimitMib()).contains(256);
    assertThatThrownBy(BARE::toSandbox).hasMessageContaining("has no fork proof");
  }
}
