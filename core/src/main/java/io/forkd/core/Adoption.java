package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.guest.Agent;
import io.forkd.linux.Adopted;
import io.forkd.linux.Signal;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.Vmm;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;

/**
 * Takes over what an earlier daemon left: running sandboxes are found again by their records, and
 * everything else is cleaned away.
 */
final class Adoption {
  private static final Duration HELLO_WAIT = Duration.ofSeconds(20);

  private final Vmm vmm;
  private final Workplaces workplaces;
  private final Confinement confinement;
  private final Records records;

  Adoption(Vmm vmm, Workplaces workplaces, Confinement confinement, Records records) {
    this.vmm = vmm;
    this.workplaces = workplaces;
    this.confinement = confinement;
    this.records = records;
  }

  void into(SandboxTable table, PausedSandboxes paused) {
    Set<String> known = new HashSet<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (SandboxId id : workplaces.existing()) {
        known.add(id.value());
        // All at once: one that does not answer must not hold up the others.
        threads.execute(() -> adopt(id).ifPresent(table::add));
      }
    }
    records.ids().stream()
        .flatMap(id -> records.find(id).stream())
        .filter(found -> found.state() == SandboxRecord.State.PAUSED)
        .forEach(paused::add);
    StrayProcesses.of(workplaces.root()).forEach(stray -> endStray(table, stray));
    confinement.existing().stream()
        .filter(name -> !known.contains(name))
        .forEach(confinement::destroy);
  }

  private Optional<LiveSandbox> adopt(SandboxId id) {
    Optional<SandboxRecord> found = records.find(id);
    int slot = found.map(SandboxRecord::slot).orElse(Workplaces.NO_SLOT);
    Workplace place = workplaces.retake(id, slot);
    if (found.filter(entry -> entry.state() == SandboxRecord.State.RUNNING).isPresent()) {
      try {
        LiveSandbox sandbox = reconnect(place, found.get());
        Log.CORE.info("{} found again, VMM {}", id, found.get().pid());
        return Optional.of(sandbox);
      } catch (RuntimeException e) {
        Log.CORE.warn("{} is lost: {}", id, e.toString());
      }
    }
    found
        .flatMap(entry -> Adopted.open(entry.pid(), entry.startTime()))
        .ifPresent(process -> process.kill(Signal.KILL));
    place.remove();
    if (found.filter(entry -> entry.state() == SandboxRecord.State.PAUSED).isEmpty()) {
      records.remove(id);
    }
    return Optional.empty();
  }

  private LiveSandbox reconnect(Workplace place, SandboxRecord found) {
    VirtualMachine vm = vmm.adopt(place.site(found.generation()), found.pid(), found.startTime());
    Optional<Agent> agent = Optional.empty();
    try {
      goOn(vm, found);
      agent = Optional.of(Agent.open(vm.agentSocket()));
      agent.get().awaitHello(HELLO_WAIT);
      place.removeOtherSites(found.generation());
      return new LiveSandbox(place, records, vm, agent.get(), Optional.empty(), found);
    } catch (RuntimeException e) {
      agent.ifPresent(Agent::close);
      vm.close();
      throw e;
    }
  }

  /** A daemon that died while it took a branch may have left the source paused and watched. */
  private static void goOn(VirtualMachine vm, SandboxRecord found) {
    if (!vm.running()) {
      vm.resume();
    }
    found
        .writeTracker()
        .ifPresent(
            number -> {
              try {
                Tracking.stop(vm.process(), number);
              } catch (RuntimeException e) {
                Log.CORE.warn("writes of VMM {} stay tracked: {}", found.pid(), e.toString());
              }
            });
  }

  private static void endStray(SandboxTable table, StrayProcesses.Stray stray) {
    boolean ours = table.all().stream().anyMatch(live -> live.sandboxRecord().pid() == stray.pid());
    if (!ours) {
      Log.CORE.warn("ending VMM {} that has no record", stray.pid());
      Adopted.open(stray.pid(), stray.startTicks()).ifPresent(p -> p.kill(Signal.KILL));
    }
  }
}
