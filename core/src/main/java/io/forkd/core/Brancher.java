package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.linux.Memfd;
import io.forkd.store.SnapshotWriter;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

/**
 * Makes snapshots of running sandboxes. The source pauses for milliseconds; the new template can be
 * forked from memory at once, and is written to disk behind everybody's back.
 */
final class Brancher {
  static final int CAP = 4;

  private final Store store;
  private final Templates templates;
  private final LayerPool layers;
  private final Scribe scribe;
  private final Identities identities;
  private final LiveTracking live;
  private final Origins origins;
  private final DiskBudget disk;
  private final Semaphore permits = new Semaphore(CAP);

  Brancher(
      Store store,
      Templates templates,
      LayerPool layers,
      Scribe scribe,
      Identities identities,
      LiveTracking live,
      DiskBudget disk) {
    this.store = store;
    this.templates = templates;
    this.layers = layers;
    this.scribe = scribe;
    this.identities = identities;
    this.live = live;
    this.origins = new Origins(store, templates);
    this.disk = disk;
  }

  /**
   * A branch whose source runs again.
   *
   * @param origin a use of its template; whoever gets this closes it
   * @param view the snapshot as far as it is known while it is being written
   * @param announced completes when a later daemon, too, would know of it
   * @param written completes when it is on disk
   */
  record Branched(
      Templates.Lease origin,
      BranchNote view,
      CompletableFuture<Void> announced,
      CompletableFuture<StoredSnapshot> written)
      implements AutoCloseable {
    @Override
    public void close() {
      origin.close();
    }
  }

  int inFlight() {
    return CAP - permits.availablePermits();
  }

  Branched branch(LiveSandbox source, BranchSpec spec) {
    return branch(source, spec, () -> live.of(source, spec.mode()));
  }

  /** The last branch of a sandbox: it stands still when this returns, and goes on elsewhere. */
  Branched last(LiveSandbox source, BranchSpec spec) {
    return branch(source, spec, Capturer.ForGood::new);
  }

  /**
   * Takes a branch.
   *
   * @param way asked when nobody else can replace the process any more whose descriptors it names
   */
  private Branched branch(LiveSandbox source, BranchSpec spec, Supplier<Capturer.Way> way) {
    if (!permits.tryAcquire()) {
      throw new ForkdException(
          ErrorCode.FULL,
          "%d branches are being taken, and no more may be at once: try again in a moment."
              .formatted(CAP));
    }
    try {
      DiskBudget.Claim room = disk.claim(mostBytes(source, spec), "a branch of " + source.id());
      try {
        Branched branched = undisturbed(source, () -> take(source, spec, way.get()));
        room.until(branched.written());
        return branched;
      } catch (RuntimeException e) {
        room.close();
        throw e;
      }
    } finally {
      permits.release();
    }
  }

  /** What a branch may take on disk: changed pages are memory of the VMM's own. */
  private long mostBytes(LiveSandbox source, BranchSpec spec) {
    return spec.mode().filter(mode -> mode == BranchMode.FULL).isPresent()
        ? origin(source).template().shape().memoryBytes()
        : UsageReader.of(source).privateBytes();
  }

  /** A sandbox's whole memory as it is now, kept in memory only. */
  LayerStack memoryOf(LiveSandbox source, Template from) {
    return undisturbed(
        source,
        () ->
            from.memory()
                .plus(
                    capture(source, from, "compared", live.of(source, Optional.empty())).delta()));
  }

  private static Captured capture(
      LiveSandbox source, Template from, String name, Capturer.Way way) {
    return Capturer.capture(source.vm(), from.shape().memoryBytes(), name, way);
  }

  /**
   * On a thread nobody interrupts, because an interrupt in the pause would leave the source
   * stopped; and on one of its own, because copying would keep a core from all virtual threads.
   */
  private static <T> T undisturbed(LiveSandbox source, Supplier<T> work) {
    try {
      return CompletableFuture.supplyAsync(
              () -> source.still(work),
              task -> Thread.ofPlatform().daemon().name("forkd-branch").start(task))
          .join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  private Branched take(LiveSandbox source, BranchSpec spec, Capturer.Way way) {
    try (Templates.Lease parent = origin(source).share()) {
      Branched branched = take(source, parent.template(), spec, way);
      if (way instanceof Capturer.ForGood) {
        source.leave();
      }
      return branched;
    }
  }

  private Branched take(LiveSandbox source, Template from, BranchSpec spec, Capturer.Way way) {
    boolean full = spec.mode().filter(mode -> mode == BranchMode.FULL).isPresent();
    Tag tag = spec.tag().orElseGet(() -> madeUp(source.id()));
    // A full branch takes its disk from there, so it must stay as long as it is written, too.
    origins.requireUnchanged(source, from);
    SnapshotWriter writer = store.begin(tag, Optional.of(from.tag()));
    try {
      Captured captured = capture(source, from, tag.value(), way);
      BranchNote note = note(source, spec, tag, full, captured, from);
      Templates.Lease origin = templates.put(from.branched(tag, note.birth(), captured));
      try {
        count(source, way);
        return keep(spec, writer, captured, note, origin);
      } catch (RuntimeException e) {
        templates.forget(tag);
        origin.close();
        throw e;
      }
    } catch (RuntimeException e) {
      writer.close();
      throw e;
    }
  }

  /** A pause is made as a branch is, but its owner asked for none. */
  private static void count(LiveSandbox source, Capturer.Way way) {
    if (!(way instanceof Capturer.ForGood)) {
      source.keep(source.sandboxRecord().with(draft -> draft.branchCount++));
    }
  }

  private Branched keep(
      BranchSpec spec,
      SnapshotWriter writer,
      Captured captured,
      BranchNote note,
      Templates.Lease origin) {
    CompletableFuture<Void> announced = announce(writer, spec, note);
    Templates.Lease whileWriting = origin.share();
    return new Branched(
        origin,
        note,
        announced,
        scribe.write(
            () -> write(writer, announced, captured, note, whileWriting), whileWriting::close));
  }

  /** Beside what goes on: children can be forked before the note is on disk. */
  private static CompletableFuture<Void> announce(
      SnapshotWriter writer, BranchSpec spec, BranchNote note) {
    return spec.awaitDisk()
        ? CompletableFuture.completedFuture(null)
        : CompletableFuture.runAsync(
            () -> writer.announce(note.pending()), task -> Thread.startVirtualThread(task));
  }

  private StoredSnapshot write(
      SnapshotWriter writer,
      CompletableFuture<Void> announced,
      Captured captured,
      BranchNote note,
      Templates.Lease whileWriting) {
    try (writer;
        whileWriting) {
      try {
        announced.join();
        StoredSnapshot stored = written(writer, captured, note, whileWriting.template());
        whileWriting.template().settle(stored);
        if (!note.full()) {
          layers.name(stored.manifest().contentHash(), captured.delta());
        }
        flattenWhenDeep(whileWriting.template());
        return stored;
      } catch (RuntimeException e) {
        Log.CORE.warn("branch {} could not be written", note.tag(), e);
        writer.failed(String.valueOf(e.getMessage()));
        templates.forget(note.tag());
        throw e;
      }
    }
  }

  private void flattenWhenDeep(Template template) {
    if (template.isDeep()) {
      templates.replace(template, template.flattened());
    }
  }

  private StoredSnapshot written(
      SnapshotWriter writer, Captured captured, BranchNote note, Template template) {
    StoredSnapshot below = store.get(note.parent());
    Origins.requireBirth(
        note.source(), note.parent(), below.manifest().birth(), note.parentBirth());
    Layer delta = captured.delta();
    try (Memfd deviceState = DeviceStates.inMemory(captured.deviceState())) {
      return writer.commit(
          note.manifest(
              below.manifest(),
              note.full()
                  ? Compactor.flat(writer, template.memory())
                  : writer.delta(delta.fd(), delta.ranges(), delta.guestBytes()),
              writer.deviceState(deviceState.fd()),
              writer.rootfs(below.rootfsFile(), below.manifest().rootfs().sha256())));
    }
  }

  private BranchNote note(
      LiveSandbox source,
      BranchSpec spec,
      Tag tag,
      boolean full,
      Captured captured,
      Template from) {
    long now = Instant.now().getEpochSecond();
    return new BranchNote(
        tag,
        identities.newBirth(),
        from.tag(),
        from.birth(),
        source.id(),
        full ? BranchMode.FULL : captured.mode(),
        captured.pauseMs(),
        captured.captureMs(),
        captured.delta().bytes(),
        from.shape(),
        spec.tag().isEmpty(),
        now,
        Lifetime.endUnix(spec.ttl()),
        spec.owner());
  }

  Templates.Lease origin(LiveSandbox source) {
    return origins.of(source);
  }

  private Tag madeUp(SandboxId id) {
    return Tag.of(
        "branch-%s-%d-%s"
            .formatted(id, Instant.now().getEpochSecond(), identities.newBirth().substring(0, 4)));
  }
}
