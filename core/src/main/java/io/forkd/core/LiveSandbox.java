package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.guest.Agent;
import io.forkd.vmm.VirtualMachine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A child and all that holds it up: its place on the host, its VMM process, the line to its agent
 * and its record.
 */
final class LiveSandbox {
  private static final Duration KILL_WAIT = Duration.ofSeconds(30);

  private final Workplace place;
  private final VirtualMachine vm;
  private final AtomicBoolean ended = new AtomicBoolean();
  private Agent agent;
  private volatile SandboxRecord sandboxRecord;

  LiveSandbox(Workplace place, VirtualMachine vm, Agent agent, SandboxRecord sandboxRecord) {
    this.place = place;
    this.vm = vm;
    this.agent = agent;
    this.sandboxRecord = sandboxRecord;
  }

  SandboxId id() {
    return place.id();
  }

  SandboxRecord sandboxRecord() {
    return sandboxRecord;
  }

  Workplace place() {
    return place;
  }

  VirtualMachine vm() {
    return vm;
  }

  /** The line to the agent; a guest that lost it by talking nonsense gets a new one. */
  synchronized Agent agent() {
    if (agent.isClosed() && !ended.get()) {
      agent = Agent.open(vm.agentSocket());
    }
    return agent;
  }

  /** Puts a new record on disk; from then on it is the truth. */
  void keep(SandboxRecord changed) {
    try {
      RecordFile.write(place.dir(), changed);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot write the record of " + id(), e);
    }
    sandboxRecord = changed;
  }

  /** Ends it and removes every trace. Only the first call does anything. */
  void end() {
    if (!ended.compareAndSet(false, true)) {
      return;
    }
    closeAgent();
    try {
      vm.kill(KILL_WAIT);
    } finally {
      place.remove();
    }
  }

  /** Lets go of it; it goes on running and a later daemon finds it by its record. */
  void abandon() {
    ended.set(true);
    closeAgent();
    vm.close();
  }

  private synchronized void closeAgent() {
    agent.close();
  }

  boolean hasEnded() {
    return ended.get();
  }
}
