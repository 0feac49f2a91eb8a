package io.forkd.core;

import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecRequest;
import io.forkd.guest.ExecResult;
import io.forkd.guest.GuestSocket;
import io.forkd.guest.Inside;
import io.forkd.guest.Pong;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** forkd on this host: leads each call to the part that does it. */
final class HostForkd implements Forkd {
  private static final Duration PING_WAIT = Duration.ofSeconds(30);

  private final HostParts parts;
  private final Templates templates;
  private final Foreground foreground;
  private final SandboxTable sandboxes;
  private final SandboxDesk desk;
  private final News news;
  private final Pools pools;

  HostForkd(HostParts parts) {
    this.parts = parts;
    this.templates = parts.templates();
    this.foreground = parts.foreground();
    this.sandboxes = parts.sandboxes();
    this.desk = parts.desk();
    this.news = parts.news();
    this.pools = parts.pools();
  }

  @Override
  public String vmm() {
    return parts.vmm();
  }

  @Override
  public Snapshot createSnapshot(SnapshotSpec spec, Progress progress) {
    Snapshot made = parts.shelf().view(parts.builder().build(spec, progress));
    news.created(made);
    return made;
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
    List<Tag> removed = parts.shelf().remove(tag, mode);
    removed.forEach(gone -> news.removed(gone, Optional.empty()));
    return removed;
  }

  @Override
  public Snapshot compact(Tag from, Tag to) {
    Snapshot made = parts.shelf().view(parts.compactor().compact(from, to));
    news.created(made);
    return made;
  }

  @Override
  public Collected collect(boolean dryRun) {
    return parts.shelf().collect(dryRun);
  }

  @Override
  public ForkResult fork(ForkSpec spec) {
    return parts.forks().fork(spec);
  }

  @Override
  public List<Sandbox> sandboxes() {
    return desk.all();
  }

  @Override
  public Sandbox sandbox(SandboxId id) {
    return desk.get(id);
  }

  @Override
  public void kill(SandboxId id) {
    desk.kill(id);
  }

  @Override
  public Branching branching() {
    return parts.branches().ability();
  }

  @Override
  public Snapshot branch(SandboxId id, BranchSpec spec) {
    LiveSandbox source = desk.awake(id);
    Snapshot made =
        foreground.request(
            () -> source.activity().during(() -> parts.branches().branch(source, spec)));
    news.branched(id, made);
    return made;
  }

  @Override
  public FanOut fanOut(SandboxId id, FanOutSpec spec) {
    spec.child().egress().ifPresent(parts.wiring()::require);
    LiveSandbox source = desk.awake(id);
    FanOutSpec whole =
        new FanOutSpec(spec.branch(), spec.n(), parts.policy().complete(spec.child()));
    FanOut made =
        foreground.request(
            () -> source.activity().during(() -> parts.branches().fanOut(source, whole)));
    news.branched(id, made.snapshot());
    made.children().sandboxes().forEach(news::created);
    return made;
  }

  @Override
  public Sandbox rollback(SandboxId id, Tag tag) {
    LiveSandbox sandbox = desk.awake(id);
    Sandbox now =
        foreground.request(
            () -> sandbox.activity().during(() -> parts.branches().rollback(sandbox, tag)));
    news.rolledBack(now, tag);
    return now;
  }

  @Override
  public Difference compare(Subject a, Subject b, boolean text) {
    return parts.comparer().compare(a, b, text);
  }

  @Override
  public Pong ping(SandboxId id) {
    return foreground.request(() -> desk.call(id, agent -> agent.ping(PING_WAIT)));
  }

  @Override
  public ExecResult exec(SandboxId id, List<String> args, Duration timeout) {
    ExecRequest request = ExecRequest.of(args, timeout);
    return foreground.request(() -> desk.call(id, agent -> agent.exec(request)));
  }

  @Override
  public EvalResult eval(SandboxId id, String code, Duration timeout) {
    return foreground.request(() -> desk.call(id, agent -> agent.eval(code, timeout)));
  }

  @Override
  public PoolStatus setPool(Tag tag, int warm) {
    if (warm > 0 && !templates.isLoaded(tag)) {
      parts.shelf().requireRestorable(tag);
    }
    PoolStatus status = pools.set(tag, warm);
    news.pool(status);
    return status;
  }

  @Override
  public List<PoolStatus> pools() {
    return pools.list();
  }

  @Override
  public List<EndedSandbox> ended() {
    return desk.ended();
  }

  @Override
  public Sandbox update(SandboxId id, SandboxChange change) {
    return desk.update(id, parts.policy().complete(change));
  }

  @Override
  public Sandbox pause(SandboxId id) {
    return foreground.request(() -> desk.pause(id));
  }

  @Override
  public Sandbox resume(SandboxId id) {
    return foreground.request(() -> desk.resume(id));
  }

  @Override
  public List<SandboxUse> usage() {
    return desk.usage();
  }

  @Override
  public Workspace createWorkspace(WorkspaceSpec spec) {
    return told("created", parts.workspaces().create(spec));
  }

  @Override
  public List<Workspace> workspaces() {
    return parts.workspaces().all();
  }

  @Override
  public Workspace workspace(WorkspaceName name) {
    return parts.workspaces().get(name);
  }

  @Override
  public void deleteWorkspace(WorkspaceName name) {
    Workspace last = workspace(name);
    parts.workspaces().delete(name);
    news.workspace("deleted", last);
  }

  @Override
  public Workspace suspendWorkspace(WorkspaceName name) {
    return told("suspended", parts.workspaces().suspend(name));
  }

  @Override
  public Workspace resumeWorkspace(WorkspaceName name) {
    return told("resumed", parts.workspaces().resume(name));
  }

  private Workspace told(String what, Workspace workspace) {
    news.workspace(what, workspace);
    return workspace;
  }

  @Override
  public GuestSocket connect(SandboxId id, int port) {
    return CountedSocket.open(desk.awake(id), port);
  }

  @Override
  public Inside inside(SandboxId id) {
    return new CountedInside(desk.awake(id));
  }

  @Override
  public Capacity capacity() {
    return parts.admission().capacity();
  }

  @Override
  public Readiness readiness() {
    return parts.readiness().look();
  }

  @Override
  public Events events() {
    return news.events();
  }

  @Override
  public void close() {
    parts.keeper().close();
    pools.close();
    parts.scribe().close();
    sandboxes.abandonAll();
    templates.close();
    parts.wiring().close();
    parts.confinement().close();
  }

  /** Drops everything the way a killed process would: parked children are not ended either. */
  void crash() {
    parts.keeper().close();
    pools.abandon();
    parts.scribe().abandon();
    sandboxes.abandonAll();
    templates.close();
    parts.wiring().close();
  }

  /** Whether all that is made ahead of need is there. */
  boolean settled() {
    return parts.wiring().settled();
  }
}
