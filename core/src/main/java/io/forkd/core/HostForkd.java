package io.forkd.core;

import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecRequest;
import io.forkd.guest.ExecResult;
import io.forkd.guest.GuestSocket;
import io.forkd.guest.Pong;
import java.time.Duration;
import java.util.List;

/** forkd on this host: leads each call to the part that does it. */
final class HostForkd implements Forkd {
  private static final Duration PING_WAIT = Duration.ofSeconds(30);

  private final HostParts parts;
  private final Templates templates;
  private final Foreground foreground;
  private final SandboxTable sandboxes;
  private final Pools pools;

  HostForkd(HostParts parts) {
    this.parts = parts;
    this.templates = parts.templates();
    this.foreground = parts.foreground();
    this.sandboxes = parts.sandboxes();
    this.pools = parts.pools();
  }

  @Override
  public String vmm() {
    return parts.vmm();
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    return parts.shelf().view(parts.builder().build(spec, progress));
  }

  @Override
  public List<Snapshot> snapshots() {
    return parts.shelf().all();
  }

  @Override
  public Snapshot snapshot(Tag tag) {
    return parts.shelf().get(tag);
  }

  @Override
  public SnapshotDetail snapshotDetail(Tag tag) {
    return parts.shelf().detail(tag);
  }

  @Override
  public List<Tag> removeSnapshot(Tag tag, RemoveMode mode) {
    return parts.shelf().remove(tag, mode);
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    return parts.shelf().view(parts.compactor().compact(from, to));
  }

  @Override
  public Collected collect(boolean dryRun) {
    return parts.shelf().collect(dryRun);
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    parts.shelf().requireFiles(spec.tag());
    return foreground.request(
        () -> {
          try (Templates.Lease origin = templates.lease(spec.tag())) {
            return parts.fleet().fork(origin, spec);
          }
        });
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
  public Branching branching() {
    return parts.branches().ability();
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    return foreground.request(() -> parts.branches().branch(sandboxes.get(id), spec));
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    return foreground.request(() -> parts.branches().fanOut(sandboxes.get(id), spec));
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    return foreground.request(() -> parts.branches().rollback(sandboxes.get(id), tag));
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    return parts.comparer().compare(a, b, text);
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
    if (warm > 0 && !templates.isLoaded(tag)) {
      parts.shelf().requireRestorable(tag);
    }
    return pools.set(tag, warm);
  }

  @Override
  public List<PoolStatus> pools() {
    return pools.list();
  }

  @Override
  public List<EndedSandbox> ended() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Sandbox update(SandboxId id, SandboxChange change) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Sandbox pause(SandboxId id) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Sandbox resume(SandboxId id) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<SandboxUse> usage() {
    return UsageReader.of(sandboxes.all());
  }

  @Override
  public Workspace createWorkspace(WorkspaceSpec spec) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<Workspace> workspaces() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Workspace workspace(WorkspaceName name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void deleteWorkspace(WorkspaceName name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Workspace suspendWorkspace(WorkspaceName name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Workspace resumeWorkspace(WorkspaceName name) {
    throw new UnsupportedOperationException();
  }

  @Override
  public GuestSocket connect(SandboxId id, int port) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Capacity capacity() {
    return parts.admission().capacity();
  }

  @Override
  public Readiness readiness() {
    throw new UnsupportedOperationException();
  }

  @Override
  public Events events() {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {
    parts.keeper().close();
    pools.close();
    parts.scribe().close();
    sandboxes.abandonAll();
    templates.close();
    parts.confinement().close();
  }

  /** Drops everything the way a killed process would: parked children are not ended either. */
  void crash() {
    parts.keeper().close();
    pools.abandon();
    parts.scribe().abandon();
    sandboxes.abandonAll();
    templates.close();
  }
}
