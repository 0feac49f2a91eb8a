package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.guest.Agent;
import io.forkd.guest.ForkIdentity;
import io.forkd.guest.ForkProof;
import io.forkd.store.Manifest;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.Vmm;
import java.util.Optional;

/**
 * Puts a sandbox back to a snapshot. It goes on in a new process, restored beside the old one,
 * which is given up only when the new one has answered: until then nothing is lost.
 */
final class Rollback {

  private final Vmm vmm;
  private final Templates templates;
  private final Identities identities;
  private final SandboxTable sandboxes;
  private final LiveTracking live;

  Rollback(
      Vmm vmm,
      Templates templates,
      Identities identities,
      SandboxTable sandboxes,
      LiveTracking live) {
    this.vmm = vmm;
    this.templates = templates;
    this.identities = identities;
    this.sandboxes = sandboxes;
    this.live = live;
  }

  /**
   * Rolls a sandbox back.
   *
   * @param origin a use of the template it came from
   */
  void run(LiveSandbox sandbox, Templates.Lease origin, Tag tag) {
    sandbox.still(
        () -> {
          Templates.Lease checkpoint = templates.lease(tag);
          try {
            requireSameFamily(sandbox, origin.template(), checkpoint.template());
            replace(sandbox, checkpoint);
            return checkpoint;
          } catch (RuntimeException e) {
            checkpoint.close();
            throw e;
          }
        });
  }

  private void replace(LiveSandbox sandbox, Templates.Lease checkpoint) {
    Workplace place = sandbox.place();
    int old = sandbox.sandboxRecord().generation();
    VmSite site = place.makeSite(old + 1);
    Optional<VirtualMachine> fresh = Optional.empty();
    try {
      fresh =
          Optional.of(
              place.withTap(
                  tap -> checkpoint.template().restore(vmm, site, tap, live.needsUserfaultfd())));
      place.admit(fresh.get().process().pid());
      Agent agent = Agent.open(fresh.get().agentSocket());
      try {
        fresh.get().loadDeviceState();
        exchange(sandbox, checkpoint, fresh.get(), agent, old).end();
      } catch (RuntimeException e) {
        agent.close();
        throw e;
      }
    } catch (RuntimeException e) {
      fresh.ifPresent(vm -> vm.kill(LiveSandbox.KILL_WAIT));
      place.removeSite(old + 1);
      throw e;
    }
    place.removeSite(old);
  }

  /** The old process stands still meanwhile, and goes on when the new one is of no use. */
  private LiveSandbox.Former exchange(
      LiveSandbox sandbox,
      Templates.Lease checkpoint,
      VirtualMachine fresh,
      Agent agent,
      int oldGeneration) {
    VirtualMachine old = sandbox.vm();
    old.pause();
    try {
      fresh.resume();
      ForkProof proof = agent.identify(identity(sandbox), Forker.HANDSHAKE_WAIT);
      LiveSandbox.Former former =
          sandbox.moveTo(
              fresh,
              agent,
              checkpoint,
              sandbox
                  .sandboxRecord()
                  .with(
                      draft -> {
                        draft.process(fresh, oldGeneration + 1, live);
                        draft.snapshotTag = checkpoint.template().tag();
                        draft.birth = checkpoint.template().birth();
                        draft.cameFrom = Optional.empty();
                        draft.proof = Optional.of(proof);
                      }));
      sandboxes.watch(sandbox);
      return former;
    } catch (RuntimeException e) {
      try {
        old.resume();
      } catch (RuntimeException dead) {
        e.addSuppressed(dead); // killed meanwhile: what went wrong first is what counts
      }
      throw e;
    }
  }

  private ForkIdentity identity(LiveSandbox sandbox) {
    return sandbox
        .sandboxRecord()
        .proof()
        .map(proof -> identities.of(sandbox.id(), proof.machineId()))
        .orElseGet(() -> identities.of(sandbox.id()));
  }

  /** Any snapshot with the same disk and the same size will do: a sibling's branch too. */
  private static void requireSameFamily(LiveSandbox sandbox, Template mine, Template checkpoint) {
    Manifest ours = mine.about();
    Manifest theirs = checkpoint.about();
    boolean same =
        ours.rootfs().sha256().equals(theirs.rootfs().sha256())
            && mine.shape().equals(checkpoint.shape());
    if (!same) {
      throw ForkdException.conflict(
          "sandbox %s cannot go back to %s: it came from %s, which has another root disk or size."
              + " `forkd tree` shows its family.",
          sandbox.id(), checkpoint.tag(), mine.tag());
    }
  }
}
