package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.guest.Agent;
import io.forkd.linux.HostProcess;
import io.forkd.vmm.VirtualMachine;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A child and all that holds it up: its place on the host, its VMM process, the line to its agent,
 * the template its memory comes from, and its record.
 */
final class LiveSandbox {
  /** How long a killed VMM may take to be gone. */
  static final Duration KILL_WAIT = Duration.ofSeconds(30);

  private final Workplace place;
  private final Records records;
  private final AtomicBoolean ended = new AtomicBoolean();
  private final Activity activity = new Activity();
  private final ReentrantLock keeping = new ReentrantLock();
  private final ReentrantLock stillness = new ReentrantLock();

  /** Whether it was captured for the last time; belongs to whoever holds its stillness. */
  private boolean leaving;

  private volatile VirtualMachine vm;
  private Agent agent;
  private Optional<Templates.Lease> origin;
  private volatile SandboxRecord sandboxRecord;
  private volatile Optional<Long> deadline;

  /**
   * Puts the parts together.
   *
   * @param origin a use of the template it was restored from, given back when it ends; empty when
   *     another daemon restored it
   */
  LiveSandbox(
      Workplace place,
      Records records,
      VirtualMachine vm,
      Agent agent,
      Optional<Templates.Lease> origin,
      SandboxRecord sandboxRecord) {
    this.place = place;
    this.records = records;
    this.vm = vm;
    this.agent = agent;
    this.origin = origin;
    this.sandboxRecord = sandboxRecord;
    this.deadline = deadlineOf(sandboxRecord);
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

  boolean isRunBy(HostProcess process) {
    return vm.process() == process;
  }

  Activity activity() {
    return activity;
  }

  /**
   * Whether its time to live is over. Counted on a clock that nobody sets: a jump of the wall clock
   * ends no sandbox of a daemon that runs.
   */
  boolean expired() {
    return deadline.filter(end -> System.nanoTime() - end >= 0).isPresent();
  }

  private static Optional<Long> deadlineOf(SandboxRecord sandboxRecord) {
    return sandboxRecord
        .expiresAtUnix()
        .map(end -> end - Instant.now().getEpochSecond())
        .map(left -> System.nanoTime() + Duration.ofSeconds(left).toNanos());
  }

  /** Held by whoever pauses the sandbox or replaces its process. */
  ReentrantLock stillness() {
    return stillness;
  }

  /** Its memory was captured to go on elsewhere: whatever it did from now on would be lost. */
  void leave() {
    leaving = true;
  }

  /** It goes on here after all. */
  void stay() {
    leaving = false;
  }

  /** Refuses to let one run again that has ended, or that goes on elsewhere. */
  void requireStaying() {
    if (ended.get()) {
      throw ForkdException.notFound("sandbox %s has ended.", id());
    }
    if (leaving) {
      throw ForkdException.conflict(
          "sandbox %s is being paused: wait until it is, then `forkd resume %s` lets it go on.",
          id(), id());
    }
  }

  /** Does something that only one may do at a time, while it can be neither paused nor replaced. */
  <T> T still(Supplier<T> work) {
    stillness.lock();
    try {
      requireStaying();
      return work.get();
    } catch (RuntimeException e) {
      throw explained(e);
    } finally {
      stillness.unlock();
    }
  }

  /** Why something failed: whatever broke first, one that was killed meanwhile explains it. */
  RuntimeException explained(RuntimeException failure) {
    boolean known = failure instanceof ForkdException e && e.code() == ErrorCode.NOT_FOUND;
    return !ended.get() || known
        ? failure
        : new ForkdException(
            ErrorCode.NOT_FOUND, "sandbox %s ended meanwhile.".formatted(id()), failure);
  }

  /** The line to the agent; a guest that lost it by talking nonsense gets a new one. */
  synchronized Agent agent() {
    if (agent.isClosed() && !ended.get()) {
      agent = Agent.open(vm.agentSocket());
    }
    return agent;
  }

  /** The template it came from, when this daemon knows. */
  synchronized Optional<Templates.Lease> origin() {
    return origin;
  }

  /** Notes the template of a sandbox that another daemon restored. */
  synchronized void origin(Templates.Lease found) {
    if (ended.get() || origin.isPresent()) {
      found.close();
    } else {
      origin = Optional.of(found);
    }
  }

  /**
   * Puts a new record into the registry; from then on it is the truth. One that has ended gets none
   * any more.
   */
  void keep(SandboxRecord changed) {
    keeping.lock();
    try {
      if (!ended.get()) {
        records.put(changed);
      }
    } finally {
      keeping.unlock();
    }
    if (!changed.expiresAtUnix().equals(sandboxRecord.expiresAtUnix())) {
      deadline = deadlineOf(changed);
    }
    sandboxRecord = changed;
  }

  /** What a sandbox had before it went on in another process. */
  record Former(VirtualMachine vm, Agent agent, Optional<Templates.Lease> origin) {
    /** Ends the process nobody is in any more. */
    void end() {
      agent.close();
      origin.ifPresent(Templates.Lease::close);
      vm.kill(KILL_WAIT);
    }
  }

  /** Goes on in another process, whose record becomes the truth: what it had before. */
  synchronized Former moveTo(
      VirtualMachine newVm, Agent newAgent, Templates.Lease newOrigin, SandboxRecord newRecord) {
    if (ended.get()) {
      throw ForkdException.notFound("sandbox %s ended while it was being rolled back.", id());
    }
    keep(newRecord);
    Former former = new Former(vm, agent, origin);
    vm = newVm;
    agent = newAgent;
    origin = Optional.of(newOrigin);
    return former;
  }

  /** Ends it and removes every trace. Only the first call does anything. */
  void end() {
    if (endProcess()) {
      records.remove(id());
    }
  }

  /** Ends its process and removes its place; its record stays, and says where it goes on. */
  boolean endProcess() {
    if (!beEnded()) {
      return false;
    }
    letGo();
    try {
      vm.kill(KILL_WAIT);
    } finally {
      place.remove();
    }
    return true;
  }

  private boolean beEnded() {
    keeping.lock();
    try {
      return ended.compareAndSet(false, true);
    } finally {
      keeping.unlock();
    }
  }

  /** Lets go of it; it goes on running and a later daemon finds it by its record. */
  void abandon() {
    beEnded();
    letGo();
    vm.close();
  }

  private synchronized void letGo() {
    agent.close();
    origin.ifPresent(Templates.Lease::close);
  }

  boolean hasEnded() {
    return ended.get();
  }
}
