package io.forkd.core;

import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
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

  void removeSnapshot(Tag tag);

  /** Makes n children: a result per child, and those that failed have left no trace. */
  ForkResult fork(ForkSpec spec);

  List<Sandbox> sandboxes();

  Sandbox sandbox(SandboxId id);

  void kill(SandboxId id);

  Pong ping(SandboxId id);

  ExecResult exec(SandboxId id, List<String> args, Duration timeout);

  EvalResult eval(SandboxId id, String code, Duration timeout);

  /** Keeps {@code warm} children of a snapshot restored, warmed and paused; 0 ends the pool. */
  PoolStatus setPool(Tag tag, int warm);

  List<PoolStatus> pools();

  /** Stops serving. Sandboxes go on running; a later daemon finds them again. */
  @Override
  void close();
}
