package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.ForkProof;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordFileTest {
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
          false,
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

  private Path path() {
    return temp.resolve("record.json");
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
        true,
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
        Optional.of(Tag.of("origin")));
  }

  @ParameterizedTest
  @EnumSource
  void everythingIsReadBackAsItWas(SandboxRecord.State state) throws IOException {
    RecordFile.write(temp, full(state));
    assertThat(RecordFile.read(temp)).contains(full(state));
  }

  @Test
  void whatIsAbsentStaysAbsent() throws IOException {
    RecordFile.write(temp, BARE);
    assertThat(RecordFile.read(temp)).contains(BARE);
    assertThat(Files.readString(path())).doesNotContain("null", "proof", "memory_limit_mib");
  }

  @Test
  void aNewRecordReplacesTheOldOneAndLeavesNothingElse() throws IOException {
    RecordFile.write(temp, BARE);
    RecordFile.write(temp, full(SandboxRecord.State.RUNNING));
    assertThat(RecordFile.read(temp)).contains(full(SandboxRecord.State.RUNNING));
    assertThat(temp.toFile().list()).containsExactly("record.json");
  }

  @Test
  void aWriteThatWasCutOffLeavesTheOldRecord() throws IOException {
    RecordFile.write(temp, BARE);
    Files.writeString(temp.resolve("record.json.new"), "{\"id\": \"sb-01");
    assertThat(RecordFile.read(temp)).contains(BARE);
    RecordFile.write(temp, full(SandboxRecord.State.RUNNING));
    assertThat(RecordFile.read(temp)).contains(full(SandboxRecord.State.RUNNING));
  }

  @Test
  void everyBeginningOfARecordButTheWholeOneIsNone() throws IOException {
    RecordFile.write(temp, full(SandboxRecord.State.RUNNING));
    String whole = Files.readString(path());
    for (int length = 0; length < whole.length(); length++) {
      Files.writeString(path(), whole.substring(0, length));
      assertThat(RecordFile.read(temp)).as("%d characters", length).isEmpty();
    }
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
        "{\"id\": 7}",
        "\u0000\u0000\u0000"
      })
  void garbageIsNoRecord(String content) throws IOException {
    Files.writeString(path(), content);
    assertThat(RecordFile.read(temp)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"id", "state", "snapshot_tag", "cgroup", "phases_ms"})
  void aRecordThatLacksSomethingIsNone(String field) throws IOException {
    RecordFile.write(temp, BARE);
    String whole = Files.readString(path());
    String without = whole.replace("\"%s\":".formatted(field), "\"%s_\":".formatted(field));
    assertThat(without).isNotEqualTo(whole);
    Files.writeString(path(), without);
    assertThat(RecordFile.read(temp)).isEmpty();
  }

  @Test
  void whatLaterVersionsAddIsIgnored() throws IOException {
    RecordFile.write(temp, BARE);
    Files.writeString(
        path(), Files.readString(path()).replaceFirst("\\{", "{\"added_later\": [1],"));
    assertThat(RecordFile.read(temp)).contains(BARE);
  }

  @Test
  void withoutAFileOrFolderThereIsNone() {
    assertThat(RecordFile.read(temp)).isEmpty();
    assertThat(RecordFile.read(temp.resolve("missing"))).isEmpty();
  }

  @Test
  void onlyASandboxWithItsProofIsShown() {
    assertThat(full(SandboxRecord.State.RUNNING).toSandbox().proof()).isEqualTo(PROOF);
    assertThat(full(SandboxRecord.State.RUNNING).toSandbox().memoryLimitMib()).contains(256);
    assertThatThrownBy(BARE::toSandbox).hasMessageContaining("has no fork proof");
  }
}
