package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.linux.Child;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a daemon does with what another one left that cannot go on. */
@Timeout(30)
class AdoptionTest {
  @TempDir Path temp;
  private FakeHost host;
  private final SandboxTable table = new SandboxTable(new FakeObituaries());

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    host.close();
  }

  private void adopt() {
    new Adoption(host, host.workplaces, host.confinement, host.records)
        .into(table, new PausedSandboxes());
  }

  private void assertAllGone() {
    assertThat(table.all()).isEmpty();
    assertThat(host.workplaces.root()).isEmptyDirectory();
    assertThat(host.confinement.existing()).isEmpty();
  }

  private void rewrite(SandboxId id, SandboxRecord changed) throws IOException {
    host.records.put(changed);
  }

  private static SandboxRecord with(SandboxRecord old, SandboxRecord.State state, int slot) {
    return new SandboxRecord(
        old.id(),
        state,
        old.snapshotTag(),
        old.birth(),
        slot,
        old.pid(),
        old.startTime(),
        old.generation(),
        Optional.empty(),
        false,
        old.cgroup(),
        old.createdAtUnix(),
        ChildSpec.PLAIN,
        false,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void aChildNobodyWasGivenIsEnded() {
    LiveSandbox parked = host.sandbox();
    adopt();
    parked.vm().process().exit().join();
    assertAllGone();
  }

  @Test
  void aSandboxWhoseAgentIsGoneIsEnded() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    rewrite(sandbox.id(), with(sandbox.sandboxRecord(), SandboxRecord.State.RUNNING, 0));
    host.agentsHangUp = true;
    adopt();
    sandbox.vm().process().exit().join();
    assertAllGone();
  }

  @Test
  void aSandboxWhoseProcessIsGoneIsCleanedAway() throws Exception {
    LiveSandbox sandbox = host.sandbox();
    rewrite(sandbox.id(), with(sandbox.sandboxRecord(), SandboxRecord.State.RUNNING, 0));
    host.vms.clear();
    adopt();
    sandbox.vm().process().exit().join();
    assertAllGone();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "null", "{}", "{\"phases_ms\": {}}", "\u0000"})
  void aFolderWithADamagedRecordIsCleanedAway(String content) throws Exception {
    LiveSandbox sandbox = host.sandbox();
    Files.writeString(sandbox.place().dir().resolve("record.json"), content);
    adopt();
    assertAllGone();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -9, 4096, Integer.MAX_VALUE, Integer.MIN_VALUE})
  void anImpossibleSlotDoesNotStopTheDaemon(int slot) throws Exception {
    LiveSandbox sandbox = host.sandbox();
    rewrite(sandbox.id(), with(sandbox.sandboxRecord(), SandboxRecord.State.PARKED, slot));
    adopt();
    sandbox.vm().process().exit().join();
    assertAllGone();
  }

  @Test
  void aRecordInAnothersFolderIsNotBelieved() throws Exception {
    LiveSandbox one = host.sandbox();
    LiveSandbox two = host.sandbox();
    rewrite(two.id(), one.sandboxRecord());
    adopt();
    one.vm().process().exit().join();
    assertThat(two.vm().process().alive()).as("no record names it any more").isTrue();
    assertAllGone();
  }

  @Test
  void aProcessWithoutARecordIsEnded() throws Exception {
    Path folder = host.workplaces.root().toRealPath().resolve("sb-0123456789-0000/vmm");
    Files.createDirectories(folder);
    Child stray = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).workingDirectory(folder).start();
    adopt();
    stray.exit().join();
    assertAllGone();
  }

  @Test
  void aCellWithoutAFolderIsDestroyed() {
    host.confinement.cells.add("sb-0123456789-0042");
    adopt();
    assertAllGone();
  }
}
