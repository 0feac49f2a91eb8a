package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.store.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever fails while a child is made, nothing of the child is left. */
@Timeout(30)
class ForkerTest {
  private static final ForkSpec SPEC = new ForkSpec(FakeHost.TAG, 1, Optional.of(256));

  private static final LiveTracking NOT_LIVE = new LiveTracking(BranchWay.PAUSED, "a fake host");

  @TempDir Path temp;
  private FakeHost host;
  private Templates templates;
  private Templates.Lease origin;
  private Forker forker;

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
    Store store = Store.open(temp.resolve("data"));
    TemplatesTest.keep(store, FakeHost.TAG, temp);
    templates = new Templates(store, TemplatesTest.HERE, new LayerPool());
    origin = templates.lease(FakeHost.TAG);
    forker = new Forker(host, host.workplaces, new Identities(), NOT_LIVE, host.records);
  }

  @AfterEach
  void close() throws IOException {
    assertThat(host.running()).as("processes left").isZero();
    assertThat(host.workplaces.root()).isEmptyDirectory();
    assertThat(host.confinement.existing()).as("cells left").isEmpty();
    Workplace next = host.workplaces.make(host.newId());
    assertThat(next.slot()).as("the slot was given back").isZero();
    origin.close();
    templates.close();
    host.close();
  }

  private LiveSandbox fork() {
    return forker.fork(origin, host.newId(), SPEC, new PhaseTimer());
  }

  @Test
  void aVmmThatDoesNotStart() {
    host.refusesToStart = true;
    assertThatThrownBy(this::fork).hasMessage("no VM today");
    assertThat(host.vms).isEmpty();
  }

  @Test
  void aLimitTheHostCannotKeep() {
    Workplaces open =
        new Workplaces(
            temp.resolve("other"),
            1,
            false,
            List.of(),
            new NoConfinement("there are no cgroups"),
            Wiring.none());
    Forker unlimited = new Forker(host, open, new Identities(), NOT_LIVE, host.records);
    assertThatThrownBy(() -> unlimited.fork(origin, host.newId(), SPEC, new PhaseTimer()))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST));
    assertThat(host.vms).as("nothing was started for it").isEmpty();
    assertThat(open.root()).isEmptyDirectory();
  }

  @Test
  void aCellThatCannotBeMade() {
    host.confinement.refusesToMake = true;
    assertThatThrownBy(this::fork).hasMessage("no cell today");
    host.confinement.refusesToMake = false;
    assertThat(host.vms).isEmpty();
  }

  @Test
  void aDeviceStateThatDoesNotLoad() {
    host.atStart = vm -> vm.refusesToLoad = true;
    assertThatThrownBy(this::fork).hasMessage("the device state does not load");
    assertThat(host.vms).hasSize(1);
  }

  @Test
  void aVmmThatResistsItsEnd() {
    host.atStart =
        vm -> {
          vm.refusesToLoad = true;
          vm.refusesToDie = true;
        };
    assertThatThrownBy(this::fork).hasMessage("it does not die");
  }

  @Test
  void anAgentThatHangsUpInsteadOfProvingTheFork() {
    host.agentsHangUp = true;
    assertThatThrownBy(this::fork)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
    assertThat(host.vms).hasSize(1);
    assertThat(host.confinement.limits).hasSize(1).first().asString().endsWith(" 256");
  }

  @Test
  void aChildForThePoolWhoseAgentHangsUp() {
    host.agentsHangUp = true;
    assertThatThrownBy(() -> forker.park(origin, host.newId())).isInstanceOf(ForkdException.class);
    assertThat(host.confinement.limits).as("a parked child has no limit yet").isEmpty();
  }

  @Test
  void aParkedChildThatCannotBeHandedOut() throws Exception {
    LiveSandbox parked = host.sandbox();
    parked.agent().close();
    Files.delete(parked.vm().agentSocket());
    assertThatThrownBy(() -> forker.unpark(parked, SPEC, new PhaseTimer()))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
    assertThat(parked.hasEnded()).isTrue();
  }

  @Test
  void anInterruptedFork() throws Exception {
    Thread caller = Thread.startVirtualThread(() -> assertThatThrownBy(this::fork).isNotNull());
    while (host.vms.isEmpty()) {
      Thread.sleep(2);
    }
    caller.interrupt();
    caller.join();
  }
}
