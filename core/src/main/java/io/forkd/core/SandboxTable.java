package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.ExitStatus;
import io.forkd.linux.HostProcess;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The sandboxes in use, and why those that ended lately did. */
final class SandboxTable {
  private static final int REMEMBERED_ENDS = 1000;

  private final Map<SandboxId, LiveSandbox> live = new ConcurrentHashMap<>();

  @SuppressWarnings("serial")
  private final Map<SandboxId, String> ends =
      new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, String> eldest) {
          return size() > REMEMBERED_ENDS;
        }
      };

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
  void end(SandboxId id, String reason) {
    LiveSandbox sandbox = live.remove(id);
    if (sandbox == null) {
      throw gone(id);
    }
    remember(id, reason);
    sandbox.end();
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
    if (live.remove(sandbox.id(), sandbox)) {
      String reason =
          "its VMM process %d ended: %s".formatted(sandbox.sandboxRecord().pid(), status);
      Log.CORE.warn("{}: {}", sandbox.id(), reason);
      remember(sandbox.id(), reason);
      sandbox.end();
    }
  }

  private void remember(SandboxId id, String reason) {
    synchronized (ends) {
      ends.put(id, reason);
    }
  }

  private ForkdException gone(SandboxId id) {
    String reason;
    synchronized (ends) {
      reason = ends.getOrDefault(id, "");
    }
    return reason.isEmpty()
        ? ForkdException.notFound("no sandbox has the id %s: `forkd ls` lists them.", id)
        : ForkdException.notFound("sandbox %s is gone: %s.", id, reason);
  }
}
