package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.core.net.NetworkSlot;
import io.forkd.guest.Agent;
import io.forkd.guest.ForkProof;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.Vmm;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/**
 * Makes one child of a template. A child is handed to nobody before its agent has given it its own
 * clock, entropy and identity; when anything fails on the way nothing of the child is left.
 */
final class Forker {
  static final Duration HANDSHAKE_WAIT = Duration.ofSeconds(60);
  private static final Duration REHEARSAL_WAIT = Duration.ofSeconds(60);

  private final Vmm vmm;
  private final Workplaces workplaces;
  private final Identities identities;
  private final LiveTracking live;
  private final Records records;

  /**
   * Prepares to fork.
   *
   * @param live how children are made ready for live branches
   */
  Forker(
      Vmm vmm, Workplaces workplaces, Identities identities, LiveTracking live, Records records) {
    this.vmm = vmm;
    this.workplaces = workplaces;
    this.identities = identities;
    this.live = live;
    this.records = records;
  }

  /** A running child. */
  LiveSandbox fork(Templates.Lease origin, SandboxId id, ForkSpec spec, PhaseTimer timer) {
    LiveSandbox child = restore(origin, id, spec.child().limits(), spec.measure(), timer, true);
    return endingOnFailure(child, () -> handOut(child, spec, false, timer));
  }

  /**
   * A child for the pool: restored, led once through all it will do when somebody takes it, and
   * paused. Under emulation that fills the cache of translated code, which is most of the time to a
   * first answer.
   */
  LiveSandbox park(Templates.Lease origin, SandboxId id) {
    LiveSandbox child = restore(origin, id, Limits.NONE, false, new PhaseTimer(), true);
    return endingOnFailure(
        child,
        () -> {
          child.vm().resume();
          ForkProof proof = identify(child);
          child.keep(child.sandboxRecord().with(draft -> draft.proof = Optional.of(proof)));
          origin.template().rehearsal().ifPresent(code -> child.agent().eval(code, REHEARSAL_WAIT));
          child.agent().wake(proof, REHEARSAL_WAIT);
          child.vm().pause();
          return child;
        });
  }

  /** Turns a parked child into a running one. */
  LiveSandbox unpark(LiveSandbox child, ForkSpec spec, PhaseTimer timer) {
    return endingOnFailure(child, () -> handOut(child, spec, true, timer));
  }

  /**
   * Lets a paused sandbox go on as who it was. Its record says paused until it answers: a daemon
   * that dies meanwhile loses the process and not the sandbox.
   */
  LiveSandbox resume(Templates.Lease origin, SandboxRecord before) {
    LiveSandbox child =
        restore(origin, before.id(), before.given().limits(), false, new PhaseTimer(), false);
    try {
      connect(child, before.given());
      child.vm().resume();
      ForkProof proof = handshake(child, before.proof());
      child.keep(child.sandboxRecord().with(draft -> goOn(draft, before, proof)));
      return child;
    } catch (RuntimeException e) {
      child.endProcess(); // and no more: its record says where it still is
      throw e;
    }
  }

  private static void goOn(SandboxRecord.Draft draft, SandboxRecord before, ForkProof proof) {
    draft.state = SandboxRecord.State.RUNNING;
    draft.createdAtUnix = before.createdAtUnix();
    draft.given = before.given();
    draft.pooled = before.pooled();
    draft.proof = Optional.of(proof);
    draft.phasesMs = before.phasesMs();
    draft.branchCount = before.branchCount();
    draft.cameFrom = before.cameFrom();
    draft.expiresAtUnix = Lifetime.endUnix(before.given().lifetime().ttl());
  }

  private LiveSandbox restore(
      Templates.Lease origin,
      SandboxId id,
      Limits limits,
      boolean measure,
      PhaseTimer timer,
      boolean noted) {
    Templates.Lease use = origin.share();
    try {
      return restore(use, workplaces.make(id), limits, measure, timer, noted);
    } catch (RuntimeException e) {
      use.close();
      throw e;
    }
  }

  /**
   * Takes over the lease, unless it fails.
   *
   * @param noted whether a later daemon is to know that there was such a child
   */
  private LiveSandbox restore(
      Templates.Lease use,
      Workplace place,
      Limits limits,
      boolean measure,
      PhaseTimer timer,
      boolean noted) {
    Template template = use.template();
    VirtualMachine vm;
    try {
      place.limit(limits);
      vm = place.withTap(tap -> template.restore(vmm, place.site(0), tap, live.needsUserfaultfd()));
    } catch (RuntimeException e) {
      place.remove();
      throw e;
    }
    try {
      place.admit(vm.process().pid());
      timer.done("spawn");
      // The agent's line is opened before the devices are loaded, so that the guest finds its port
      // connected as it was in the parent.
      Agent agent = Agent.open(vm.agentSocket());
      LiveSandbox child =
          new LiveSandbox(
              place, records, vm, agent, Optional.of(use), parkedRecord(template, place, vm));
      if (noted) {
        child.keep(child.sandboxRecord());
      }
      vm.loadDeviceState();
      timer.done("restore");
      if (measure) {
        RestoredCost cost = template.costOf(vm.process().pid());
        child.keep(child.sandboxRecord().with(draft -> draft.restored = Optional.of(cost)));
        timer.done("measure");
      }
      return child;
    } catch (RuntimeException e) {
      try {
        vm.kill(LiveSandbox.KILL_WAIT);
      } finally {
        place.remove();
      }
      throw e;
    }
  }

  private LiveSandbox handOut(LiveSandbox child, ForkSpec spec, boolean pooled, PhaseTimer timer) {
    if (pooled) {
      child.place().limit(spec.child().limits());
    }
    connect(child, spec.child());
    child.vm().resume();
    timer.done("resume");
    ForkProof proof = handshake(child, child.sandboxRecord().proof());
    showCpus(child, spec.child().limits());
    timer.done("handshake");
    long now = Instant.now().getEpochSecond();
    child.keep(
        child
            .sandboxRecord()
            .with(
                draft -> {
                  draft.state = SandboxRecord.State.RUNNING;
                  draft.createdAtUnix = now;
                  draft.given = spec.child();
                  draft.pooled = pooled;
                  draft.proof = Optional.of(proof);
                  draft.phasesMs = timer.millis();
                  draft.expiresAtUnix = Lifetime.endUnix(spec.child().lifetime().ttl());
                }));
    return child;
  }

  /** Before it runs: there is no moment in which it reaches whom it may not. */
  private static void connect(LiveSandbox child, ChildSpec given) {
    given
        .egress()
        .ifPresent(egress -> child.place().network().ifPresent(network -> network.apply(egress)));
  }

  /** Lets the guest see as many CPUs as it may use. */
  static void showCpus(LiveSandbox child, Limits limits) {
    Optional<Integer> all =
        child.origin().map(lease -> lease.template().shape().vcpus()).filter(vcpus -> vcpus > 1);
    if (limits.cpus().isPresent() && all.isPresent()) {
      int shown = Math.min(all.get(), (int) Math.ceil(limits.cpus().get()));
      child.agent().setOnlineCpus(shown, HANDSHAKE_WAIT);
    }
  }

  /**
   * A parked child got clock, entropy and identity when it was parked and has not run since, so
   * that nobody has seen them; only its clock stood still. Any other child gets all of it now.
   */
  private ForkProof handshake(LiveSandbox child, Optional<ForkProof> whenParked) {
    return whenParked.isPresent()
        ? child.agent().wake(whenParked.get(), HANDSHAKE_WAIT)
        : identify(child);
  }

  private ForkProof identify(LiveSandbox child) {
    return child.agent().identify(identities.of(child.id()), HANDSHAKE_WAIT);
  }

  private SandboxRecord parkedRecord(Template template, Workplace place, VirtualMachine vm) {
    Optional<Integer> tracker = SandboxRecord.trackerOf(vm);
    return new SandboxRecord(
        place.id(),
        SandboxRecord.State.PARKED,
        template.tag(),
        template.birth(),
        place.slot(),
        vm.process().pid(),
        vm.process().startTicks(),
        0,
        tracker,
        Optional.of(live.wayOf(tracker)),
        place.cgroup(),
        Instant.now().getEpochSecond(),
        ChildSpec.PLAIN,
        false,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        place.network().map(NetworkSlot::name));
  }

  private interface Step {
    LiveSandbox run();
  }

  private static LiveSandbox endingOnFailure(LiveSandbox child, Step step) {
    try {
      return step.run();
    } catch (RuntimeException e) {
      child.end();
      throw e;
    }
  }
}
