package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecRequest;
import io.forkd.guest.ExecResult;
import io.forkd.guest.Pong;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/** forkd on this host. */
final class HostForkd implements Forkd {
  private static final Duration PING_WAIT = Duration.ofSeconds(30);

  private final String vmm;
  private final Store store;
  private final Templates templates;
  private final SnapshotBuilder builder;
  private final SnapshotViews views;
  private final Forker forker;
  private final Identities identities;
  private final Foreground foreground;
  private final SandboxTable sandboxes;
  private final Pools pools;
  private final Confinement confinement;

  HostForkd(
      String vmm,
      Store store,
      Templates templates,
      SnapshotBuilder builder,
      SnapshotViews views,
      Forker forker,
      Identities identities,
      Foreground foreground,
      SandboxTable sandboxes,
      Pools pools,
      Confinement confinement) {
    this.vmm = vmm;
    this.store = store;
    this.templates = templates;
    this.builder = builder;
    this.views = views;
    this.forker = forker;
    this.identities = identities;
    this.foreground = foreground;
    this.sandboxes = sandboxes;
    this.pools = pools;
    this.confinement = confinement;
  }

  @Override
  public String vmm() {
    return vmm;
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    return views.of(builder.build(spec, progress));
  }

  @Override
  public List<Snapshot> snapshots() {
    return Stream.concat(
            store.list().stream().map(views::of), store.damaged().stream().map(views::of))
        .sorted(Comparator.comparing(Snapshot::tag))
        .toList();
  }

  @Override
  public Snapshot snapshot(Tag tag) {
    return views.of(store.get(tag));
  }

  @Override
  public SnapshotDetail snapshotDetail(Tag tag) {
    return new SnapshotDetail(snapshot(tag), List.of(), List.of(), List.of());
  }

  @Override
  public List<Tag> removeSnapshot(Tag tag, RemoveMode mode) {
    store.removeAlone(tag);
    pools.drop(tag);
    templates.forget(tag);
    return List.of(tag);
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Collected collect(boolean dryRun) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Branching branching() {
    return new Branching(BranchMode.DIFF, "not there yet", 0, 4);
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    throw new UnsupportedOperationException();
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    StoredSnapshot snapshot = store.get(spec.tag());
    snapshot.checkFiles();
    return foreground.request(
        () ->
            templates.using(
                spec.tag(),
                template -> {
                  String batch = identities.newBatch();
                  List<Future<LiveSandbox>> children = new ArrayList<>();
                  try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
                    for (int i = 0; i < spec.n(); i++) {
                      SandboxId id = SandboxId.of(batch, i);
                      children.add(threads.submit(() -> child(spec, template, id)));
                    }
                  }
                  return gather(children);
                }));
  }

  private LiveSandbox child(ForkSpec spec, Template template, SandboxId id) {
    PhaseTimer timer = new PhaseTimer();
    return foreground.piece(
        () -> {
          timer.done("queue");
          LiveSandbox child =
              fromPool(spec, timer).orElseGet(() -> forker.fork(template, id, spec, timer));
          sandboxes.add(child);
          return child;
        });
  }

  /** A parked child may have died unnoticed; that costs the next one a try, never the caller. */
  private Optional<LiveSandbox> fromPool(ForkSpec spec, PhaseTimer timer) {
    if (spec.measure()) {
      // A pooled child has run, so what it cost when restored can no longer be seen.
      return Optional.empty();
    }
    while (true) {
      Optional<LiveSandbox> parked = pools.take(spec.tag());
      if (parked.isEmpty()) {
        return parked;
      }
      try {
        return Optional.of(forker.unpark(parked.get(), spec.memoryLimitMib(), timer));
      } catch (ForkdException e) {
        if (e.code() == ErrorCode.BAD_REQUEST) {
          throw e; // the next one cannot do it either
        }
        Log.CORE.warn("parked child {} was of no use: {}", parked.get().id(), e.getMessage());
      }
    }
  }

  private static ForkResult gather(List<Future<LiveSandbox>> children) {
    List<Sandbox> alive = new ArrayList<>();
    List<ForkResult.Failure> failures = new ArrayList<>();
    ForkdException first = null;
    for (int i = 0; i < children.size(); i++) {
      try {
        alive.add(children.get(i).get().sandboxRecord().toSandbox());
      } catch (ExecutionException e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        Log.CORE.warn("child {} of a fork failed", i, cause);
        failures.add(new ForkResult.Failure(i, String.valueOf(cause.getMessage())));
        first = first == null ? asForkdException(cause) : first;
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new ForkdException(ErrorCode.INTERNAL, "interrupted while forking", e);
      }
    }
    if (alive.isEmpty() && first != null) {
      throw first;
    }
    return new ForkResult(alive, failures);
  }

  private static ForkdException asForkdException(Throwable cause) {
    return cause instanceof ForkdException known
        ? known
        : new ForkdException(ErrorCode.INTERNAL, "the child could not be made: " + cause, cause);
  }

  @Override
  public List<Sandbox> sandboxes() {
    return sandboxes.all().stream().map(live -> live.sandboxRecord().toSandbox()).toList();
  }

  @Override
  public Sandbox sandbox(SandboxId id) {
    return sandboxes.get(id).sandboxRecord().toSandbox();
  }

  @Override
  public void kill(SandboxId id) {
    sandboxes.end(id, "it was killed by request");
  }

  @Override
  public Pong ping(SandboxId id) {
    return foreground.request(() -> sandboxes.get(id).agent().ping(PING_WAIT));
  }

  @Override
  public ExecResult exec(SandboxId id, List<String> args, Duration timeout) {
    return foreground.request(() -> sandboxes.get(id).agent().exec(ExecRequest.of(args, timeout)));
  }

  @Override
  public EvalResult eval(SandboxId id, String code, Duration timeout) {
    return foreground.request(() -> sandboxes.get(id).agent().eval(code, timeout));
  }

  @Override
  public PoolStatus setPool(Tag tag, int warm) {
    if (warm > 0) {
      StoredSnapshot snapshot = store.get(tag);
      snapshot.checkFiles();
      views.requireRestorable(snapshot);
    }
    return pools.set(tag, warm);
  }

  @Override
  public List<PoolStatus> pools() {
    return pools.list();
  }

  @Override
  public void close() {
    pools.close();
    sandboxes.abandonAll();
    templates.close();
    confinement.close();
  }

  /** Drops everything the way a killed process would: parked children are not ended either. */
  void crash() {
    pools.abandon();
    sandboxes.abandonAll();
    templates.close();
  }
}
