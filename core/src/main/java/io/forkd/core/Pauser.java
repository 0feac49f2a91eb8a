package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Store;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Puts sandboxes on disk and lets them go on from there, under the same id. At every instant either
 * the process or the snapshot is whole, and the record says which counts.
 */
final class Pauser {
  /** Deltas on deltas of pauses; beyond that one is written whole and the older ones go. */
  private static final int MOST_PAUSES_IN_A_CHAIN = 4;

  private static final int MOST_TAGS = 99;

  static final String PREFIX = "pause-";

  private final Store store;
  private final Shelf shelf;
  private final Templates templates;
  private final Branches branches;
  private final Forker forker;
  private final SandboxTable running;
  private final PausedSandboxes paused;
  private final Records records;
  private final Admission admission;
  private final Stripes byId = new Stripes();

  Pauser(
      Store store,
      Shelf shelf,
      Templates templates,
      Branches branches,
      Forker forker,
      SandboxTable running,
      PausedSandboxes paused,
      Records records,
      Admission admission) {
    this.store = store;
    this.shelf = shelf;
    this.templates = templates;
    this.branches = branches;
    this.forker = forker;
    this.running = running;
    this.paused = paused;
    this.records = records;
    this.admission = admission;
  }

  /** The tag of a sandbox's next pause. */
  private Tag nextTag(SandboxId id) {
    return tags(id)
        .filter(tag -> !store.exists(tag) && !store.isBeingWritten(tag))
        .findFirst()
        .orElseThrow(
            () ->
                ForkdException.conflict(
                    "sandbox %s cannot be paused: %d snapshots %s%s-* are kept because others"
                        + " depend on them. Remove some with `forkd rmi`.",
                    id, MOST_TAGS, PREFIX, id));
  }

  private static Stream<Tag> tags(SandboxId id) {
    return IntStream.rangeClosed(1, MOST_TAGS)
        .mapToObj(number -> Tag.of(PREFIX + id.value() + "-" + number));
  }

  /** Pauses a sandbox; one that is paused stays so. */
  SandboxRecord pause(SandboxId id) {
    return pause(id, Optional.empty());
  }

  /**
   * Pauses a sandbox into a snapshot.
   *
   * @param wanted the snapshot's tag; it is then written whole, so that it depends on no earlier
   *     pause
   */
  SandboxRecord pause(SandboxId id, Optional<Tag> wanted) {
    return byId.alone(
        id,
        () -> {
          Optional<SandboxRecord> already = paused.find(id);
          return already.isPresent() ? already.get() : toDisk(running.get(id), wanted);
        });
  }

  private SandboxRecord toDisk(LiveSandbox sandbox, Optional<Tag> wanted) {
    SandboxRecord before = sandbox.sandboxRecord();
    Tag tag = wanted.orElseGet(() -> nextTag(sandbox.id()));
    boolean whole =
        wanted.isPresent() || pausesBelow(before.snapshotTag()) >= MOST_PAUSES_IN_A_CHAIN;
    Snapshot state;
    try {
      state = branches.last(sandbox, tag, whole, before.given().owner());
    } catch (RuntimeException e) {
      goOn(sandbox);
      throw e;
    }
    SandboxRecord after;
    try {
      after = sandbox.sandboxRecord().with(draft -> becomePaused(draft, state));
      records.putDurably(after);
    } catch (RuntimeException e) {
      goOn(sandbox);
      shelf.removeQuietly(tag);
      throw e;
    }
    if (!running.release(sandbox)) {
      records.remove(sandbox.id());
      shelf.removeQuietly(tag);
      throw ForkdException.notFound("sandbox %s ended while it was being paused.", sandbox.id());
    }
    paused.add(after);
    sandbox.endProcess();
    if (whole) {
      removeOlder(sandbox.id(), tag);
    }
    return after;
  }

  private static void becomePaused(SandboxRecord.Draft draft, Snapshot state) {
    draft.state = SandboxRecord.State.PAUSED;
    draft.pausedAs = Optional.of(state.tag());
    draft.cameFrom = Optional.of(draft.cameFrom.orElse(draft.snapshotTag));
    draft.expiresAtUnix = Optional.empty();
    draft.pid = 0;
    draft.startTime = 0;
    draft.writeTracker = Optional.empty();
    draft.generation = 0;
    draft.netns = Optional.empty();
  }

  private static void goOn(LiveSandbox sandbox) {
    sandbox.stillness().lock();
    try {
      sandbox.stay();
      if (!sandbox.hasEnded() && !sandbox.vm().running()) {
        sandbox.vm().resume();
      }
    } catch (RuntimeException e) {
      Log.CORE.warn("{} could not go on: {}", sandbox.id(), e.toString());
    } finally {
      sandbox.stillness().unlock();
    }
  }

  /** Lets a paused sandbox go on; one that runs goes on. */
  SandboxRecord resume(SandboxId id) {
    return byId.alone(
        id,
        () -> {
          Optional<SandboxRecord> record = paused.find(id);
          return record.isPresent() ? fromDisk(record.get()) : running.get(id).sandboxRecord();
        });
  }

  private SandboxRecord fromDisk(SandboxRecord before) {
    Tag state = before.pausedAs().orElseThrow();
    LiveSandbox sandbox;
    try (Admission.Reservation room = admission.admit(1, before.given().limits())) {
      try (Templates.Lease origin = templates.lease(state)) {
        sandbox = forker.resume(origin, before);
      }
      paused.take(before.id());
      room.settle(() -> running.add(sandbox));
    }
    removeOlder(before.id(), state);
    return sandbox.sandboxRecord();
  }

  /** Changes what is kept of a paused sandbox: its new record, unless it is not paused. */
  Optional<SandboxRecord> changeAsleep(SandboxId id, Consumer<SandboxRecord.Draft> change) {
    return byId.alone(
        id,
        () -> {
          Optional<SandboxRecord> after = paused.find(id).map(before -> before.with(change));
          after.ifPresent(
              changed -> {
                records.putDurably(changed);
                paused.add(changed);
              });
          return after;
        });
  }

  /** Ends a paused sandbox for good: its record. */
  Optional<SandboxRecord> discard(SandboxId id) {
    return byId.alone(
        id,
        () -> {
          Optional<SandboxRecord> gone = paused.take(id);
          gone.ifPresent(
              record -> {
                records.remove(id);
                sweep(id);
              });
          return gone;
        });
  }

  /** Removes the pauses of a sandbox that is no more; those something depends on stay. */
  void sweep(SandboxId id) {
    // Those that others of them depend on go in a later round.
    long before = Long.MAX_VALUE;
    for (long left = left(id); left > 0 && left < before; left = left(id)) {
      before = left;
      tags(id).filter(store::exists).forEach(shelf::removeQuietly);
    }
  }

  private long left(SandboxId id) {
    return tags(id).filter(store::exists).count();
  }

  private void removeOlder(SandboxId id, Tag kept) {
    List<Tag> needed = store.ancestors(kept);
    tags(id)
        .filter(tag -> !tag.equals(kept) && !needed.contains(tag) && store.exists(tag))
        .forEach(shelf::removeQuietly);
  }

  private int pausesBelow(Tag tag) {
    if (!store.exists(tag)) {
      return 0;
    }
    long below = store.ancestors(tag).stream().filter(Pauser::isPause).count();
    return (int) below + (isPause(tag) ? 1 : 0);
  }

  static boolean isPause(Tag tag) {
    return tag.value().startsWith(PREFIX);
  }
}
