package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.ExitStatus;
import io.forkd.linux.HostProcess;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.VmmLog;
import java.io.IOException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/** The sandboxes in use; those that ended are handed to the obituaries with the reason. */
final class SandboxTable {
  private final Map<SandboxId, LiveSandbox> live = new ConcurrentHashMap<>();
  private final Map<SandboxId, EndReason> leaving = new ConcurrentHashMap<>();
  private final Obituaries obituaries;

  SandboxTable(Obituaries obituaries) {
    this.obituaries = obituaries;
  }

  /** Adds a sandbox; it leaves by itself when its VMM dies. */
  void add(LiveSandbox sandbox) {
    live.put(sandbox.id(), sandbox);
    watch(sandbox);
  }

  /** Watches over the process a sandbox has now; one it has left may die unnoticed. */
  void watch(LiveSandbox sandbox) {
    HostProcess process = sandbox.vm().process();
    var _ =
        process
            .exit()
            .thenAcceptAsync(
                status -> {
                  if (sandbox.isRunBy(process)) {
                    died(sandbox, status);
                  }
                },
                task -> Thread.startVirtualThread(task));
  }

  LiveSandbox get(SandboxId id) {
    LiveSandbox sandbox = live.get(id);
    if (sandbox == null) {
      throw gone(id);
    }
    return sandbox;
  }

  Optional<LiveSandbox> find(SandboxId id) {
    return Optional.ofNullable(live.get(id));
  }

  /** Ends a sandbox; of several callers one does it and the others find it gone. */
  void end(SandboxId id, EndReason reason) {
    LiveSandbox sandbox = get(id);
    if (!leave(sandbox, reason)) {
      throw gone(id);
    }
  }

  /** Whoever finds it gone finds out why, from the first instant on. */
  private boolean leave(LiveSandbox sandbox, EndReason reason) {
    AtomicBoolean left = new AtomicBoolean();
    live.computeIfPresent(
        sandbox.id(),
        (id, current) -> {
          if (current != sandbox) {
            return current;
          }
          left.set(true);
          leaving.put(id, reason);
          return null;
        });
    if (left.get()) {
      try {
        obituaries.add(sandbox.sandboxRecord().toEnded(reason));
      } finally {
        leaving.remove(sandbox.id());
      }
      sandbox.end();
    }
    return left.get();
  }

  /** Takes out a sandbox that is to end without having ended; false when it is gone already. */
  boolean release(LiveSandbox sandbox) {
    return live.remove(sandbox.id(), sandbox);
  }

  List<LiveSandbox> all() {
    return live.values().stream().sorted(Comparator.comparing(LiveSandbox::id)).toList();
  }

  Collection<LiveSandbox> abandonAll() {
    List<LiveSandbox> all = all();
    live.clear();
    all.forEach(LiveSandbox::abandon);
    return all;
  }

  private void died(LiveSandbox sandbox, ExitStatus status) {
    EndReason reason =
        Autopsy.of(sandbox.place(), sandbox.sandboxRecord(), sandbox.vm().guestStop(), status);
    if (leave(sandbox, reason)) {
      Log.CORE.warn("{}: {} {}", sandbox.id(), reason.text(), reason.log());
    }
  }

  /** Keeps the VMMs' logs short, and notes the ends that could not be noted before. */
  void tidy() {
    for (LiveSandbox sandbox : live.values()) {
      VmSite site = sandbox.place().site(sandbox.sandboxRecord().generation());
      try {
        VmmLog.bound(site);
      } catch (IOException e) {
        Log.CORE.warn("{} cannot be bounded: {}", site.log(), e.toString());
      }
    }
    obituaries.settle();
  }

  private ForkdException gone(SandboxId id) {
    return Optional.ofNullable(leaving.get(id))
        .or(() -> obituaries.find(id).map(EndedSandbox::reason))
        .map(reason -> ForkdException.notFound("sandbox %s is gone: %s.", id, reason.text()))
        .orElseGet(
            () -> ForkdException.notFound("no sandbox has the id %s: `forkd ls` lists them.", id));
  }
}
