package io.forkd.core;

import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import io.forkd.guest.GuestSocket;
import io.forkd.guest.Inside;
import io.forkd.guest.Pong;
import java.time.Duration;
import java.util.List;

/**
 * Everything forkd does, as the daemon's front doors call it. Failures are {@link
 * io.forkd.base.ForkdException}s whose code and message are fit for the caller. Every method may be
 * called from any thread and blocks until its work is done.
 */
public interface Forkd extends AutoCloseable {
  /**
   * The monitor guests run in and why, such as {@code qemu 7.2.22 microvm/tcg (there is no
   * /dev/kvm)}.
   */
  String vmm();

  /** Boots and warms a parent and keeps it as a snapshot. Takes seconds to minutes. */
  Snapshot createSnapshot(SnapshotSpec spec, Progress progress);

  List<Snapshot> snapshots();

  Snapshot snapshot(Tag tag);

  SnapshotDetail snapshotDetail(Tag tag);

  /** Removes a snapshot and, as the mode says, those that depend on it: what was removed. */
  List<Tag> removeSnapshot(Tag tag, RemoveMode mode);

  /** Makes a snapshot without a parent out of a chain. */
  Snapshot compact(Tag from, Tag to);

  /** Removes what has expired and nothing depends on. */
  Collected collect(boolean dryRun);

  /** Makes n children: a result per child, and those that failed have left no trace. */
  ForkResult fork(ForkSpec spec);

  List<Sandbox> sandboxes();

  Sandbox sandbox(SandboxId id);

  void kill(SandboxId id);

  /** The sandboxes that ended lately and why, newest first. */
  List<EndedSandbox> ended();

  Sandbox update(SandboxId id, SandboxChange change);

  /** Puts a sandbox on disk and ends its process; one that is paused stays so. */
  Sandbox pause(SandboxId id);

  /** Lets a paused sandbox go on where it was; one that runs goes on. */
  Sandbox resume(SandboxId id);

  /** What each sandbox uses of the host now. */
  List<SandboxUse> usage();

  Workspace createWorkspace(WorkspaceSpec spec);

  List<Workspace> workspaces();

  Workspace workspace(WorkspaceName name);

  /** Ends its sandbox and removes its state. */
  void deleteWorkspace(WorkspaceName name);

  Workspace suspendWorkspace(WorkspaceName name);

  Workspace resumeWorkspace(WorkspaceName name);

  /** What this host can do about branches. */
  Branching branching();

  /** Makes a snapshot of a running sandbox, which pauses for milliseconds and goes on. */
  Snapshot branch(SandboxId id, BranchSpec spec);

  /** Branches a sandbox and forks children of the branch. */
  FanOut fanOut(SandboxId id, FanOutSpec spec);

  /** Puts a sandbox back to a snapshot of its family; it keeps its id. */
  Sandbox rollback(SandboxId id, Tag tag);

  /**
   * Compares two subjects.
   *
   * @param text whether text files get a unified diff
   */
  Difference compare(Subject a, Subject b, boolean text);

  Pong ping(SandboxId id);

  ExecResult exec(SandboxId id, List<String> args, Duration timeout);

  EvalResult eval(SandboxId id, String code, Duration timeout);

  /** A TCP connection to a port on the guest's loopback; needs no network. */
  GuestSocket connect(SandboxId id, int port);

  /**
   * What goes on inside a running sandbox: it is in use while a call or a stream of it is open.
   * Made for one request; one that is kept finds its sandbox gone when that moves to another
   * process.
   */
  Inside inside(SandboxId id);

  /** Keeps {@code warm} children of a snapshot restored, warmed and paused; 0 ends the pool. */
  PoolStatus setPool(Tag tag, int warm);

  List<PoolStatus> pools();

  /** How full the daemon is. */
  Capacity capacity();

  Readiness readiness();

  /** What happens, as it happens. */
  Events events();

  /** Stops serving. Sandboxes go on running; a later daemon finds them again. */
  @Override
  void close();
}
