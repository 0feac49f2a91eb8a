package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.core.net.NetworkSlot;
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
 * Takes over what an earlier daemon left, by its records: running sandboxes go on, paused ones stay
 * paused, and those that died meanwhile get their end noted. Whatever has no record is cleaned
 * away.
 */
final class Adoption {
  private static final Duration HELLO_WAIT = Duration.ofSeconds(20);

  private final Vmm vmm;
  private final Workplaces workplaces;
  private final Confinement confinement;
  private final Records records;
  private final Deaths deaths;
  private final LiveTracking live;

  Adoption(
      Vmm vmm,
      Workplaces workplaces,
      Confinement confinement,
      Records records,
      Obituaries obituaries,
      boolean hostRestarted,
      LiveTracking live) {
    this.vmm = vmm;
    this.workplaces = workplaces;
    this.confinement = confinement;
    this.records = records;
    this.deaths = new Deaths(obituaries, hostRestarted);
    this.live = live;
  }

  void into(SandboxTable table, PausedSandboxes paused) {
    Set<SandboxId> places = Set.copyOf(workplaces.existing());
    Set<SandboxId> rows = Set.copyOf(records.ids());
    Set<SandboxId> all = new HashSet<>(places);
    all.addAll(rows);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (SandboxId id : all) {
        // All at once: one that does not answer must not hold up the others.
        threads.execute(
            () -> {
              try {
                settle(id, rows.contains(id), table, paused);
              } catch (RuntimeException e) {
                Log.CORE.error("{} cannot be taken over or cleaned away", id, e);
              }
            });
      }
    }
    workplaces.wiring().sweep();
    StrayProcesses.of(workplaces.root()).forEach(stray -> endStray(table, stray));
    confinement.existing().stream()
        .filter(name -> !SandboxId.isValid(name) || !places.contains(SandboxId.of(name)))
        .forEach(confinement::destroy);
  }

  private void settle(SandboxId id, boolean hasRow, SandboxTable table, PausedSandboxes paused) {
    Optional<SandboxRecord> found = hasRow ? records.find(id) : Optional.empty();
    if (found.isEmpty()) {
      remove(id, Workplaces.NO_SLOT);
      if (hasRow) {
        deaths.unreadable(id);
        records.remove(id);
      }
      return;
    }
    SandboxRecord last = found.get();
    switch (last.state()) {
      case PAUSED -> {
        // A daemon that died while it paused or resumed it left a process that does not count.
        remove(id, Workplaces.NO_SLOT);
        paused.add(last);
      }
      case PARKED -> {
        end(last);
        remove(id, last.slot());
        records.remove(id);
      }
      case RUNNING -> {
        Workplace place = workplaces.retake(id, last.slot(), network(last));
        adopt(place, last)
            .ifPresentOrElse(
                table::add,
                () -> {
                  end(last);
                  place.remove();
                  records.remove(id);
                });
      }
    }
  }

  private void remove(SandboxId id, int slot) {
    workplaces.retake(id, slot, Optional.empty()).remove();
  }

  /** Its rules are in force all the time; its names are served again from now on. */
  private Optional<NetworkSlot> network(SandboxRecord last) {
    try {
      return last.netns()
          .flatMap(
              name ->
                  workplaces
                      .wiring()
                      .retake(name, last.pid(), last.given().egress().orElse(Egress.INTERNET)));
    } catch (RuntimeException e) {
      Log.CORE.warn("{} goes on without names: {}", last.id(), e.toString());
      return Optional.empty();
    }
  }

  /** Empty when it cannot go on; why is noted then. */
  private Optional<LiveSandbox> adopt(Workplace place, SandboxRecord last) {
    if (deaths.foundBefore(place, last)) {
      return Optional.empty();
    }
    VirtualMachine vm;
    try {
      vm = vmm.adopt(place.site(last.generation()), last.pid(), last.startTime());
    } catch (RuntimeException e) {
      deaths.notTakenOver(place, last, Optional.empty(), e);
      return Optional.empty();
    }
    try {
      LiveSandbox sandbox = reconnect(place, vm, last);
      Log.CORE.info("{} found again, VMM {}", last.id(), last.pid());
      return Optional.of(sandbox);
    } catch (RuntimeException e) {
      vm.close();
      deaths.notTakenOver(place, last, vm.guestStop(), e);
      return Optional.empty();
    }
  }

  private LiveSandbox reconnect(Workplace place, VirtualMachine vm, SandboxRecord last) {
    if (vm.guestStop().isPresent()) {
      throw ForkdException.conflict("its guest has stopped");
    }
    goOn(vm, last);
    Agent agent = Agent.open(vm.agentSocket());
    try {
      agent.awaitHello(HELLO_WAIT);
      place.removeOtherSites(last.generation());
      SandboxRecord now =
          last.with(draft -> draft.branchWay = Optional.of(live.wayOf(draft.writeTracker)));
      return new LiveSandbox(place, records, vm, agent, Optional.empty(), now);
    } catch (RuntimeException e) {
      agent.close();
      throw e;
    }
  }

  /** A daemon that died while it took a branch may have left the source paused and watched. */
  private static void goOn(VirtualMachine vm, SandboxRecord last) {
    if (!vm.running()) {
      vm.resume();
    }
    last.writeTracker()
        .ifPresent(
            number -> {
              try {
                Tracking.stop(vm.process(), number);
              } catch (RuntimeException e) {
                Log.CORE.warn("writes of VMM {} stay tracked: {}", last.pid(), e.toString());
              }
            });
  }

  private void end(SandboxRecord last) {
    if (!deaths.hostRestarted()) {
      Adopted.open(last.pid(), last.startTime()).ifPresent(process -> process.kill(Signal.KILL));
    }
  }

  private static void endStray(SandboxTable table, StrayProcesses.Stray stray) {
    boolean ours = table.all().stream().anyMatch(live -> live.sandboxRecord().pid() == stray.pid());
    if (!ours) {
      Log.CORE.warn("ending VMM {} that has no record", stray.pid());
      Adopted.open(stray.pid(), stray.startTicks()).ifPresent(p -> p.kill(Signal.KILL));
    }
  }
}
