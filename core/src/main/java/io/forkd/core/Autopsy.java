package io.forkd.core;

import io.forkd.linux.ExitStatus;
import io.forkd.vmm.GuestStop;
import io.forkd.vmm.VmmLog;
import java.util.Optional;

/** Finds out why a sandbox ended whose process is gone, from what it left on the host. */
final class Autopsy {
  private Autopsy() {}

  /**
   * The reason, while the sandbox's place is still there.
   *
   * @param stop that the guest stopped itself, which the VMM told before it ended
   */
  static EndReason of(
      Workplace place, SandboxRecord last, Optional<GuestStop> stop, ExitStatus status) {
    if (stop.isPresent()) {
      return stopped(stop.get());
    }
    if (!(status instanceof ExitStatus.Exited) && place.stats().oomKills().orElse(0L) > 0) {
      return new EndReason(EndReason.Kind.OUT_OF_MEMORY, outOfMemory(last.given().limits()));
    }
    return new EndReason(
        EndReason.Kind.VMM_CRASH,
        "its VMM process %d ended%s".formatted(last.pid(), how(status)),
        VmmLog.lastLines(place.site(last.generation())));
  }

  private static EndReason stopped(GuestStop stop) {
    return stop.panic().isPresent()
        ? new EndReason(
            EndReason.Kind.GUEST_PANIC,
            "its guest's kernel panicked: " + stop.panic().get(),
            stop.console())
        : new EndReason(
            EndReason.Kind.GUEST_SHUTDOWN, "its guest was shut down from inside", stop.console());
  }

  private static String outOfMemory(Limits limits) {
    return limits
        .memoryMib()
        .map(
            "it used more than its memory limit of %d MiB and the host's kernel killed it"
                ::formatted)
        .orElse("the host ran out of memory and its kernel killed it");
  }

  private static String how(ExitStatus status) {
    return switch (status) {
      case ExitStatus.Exited _, ExitStatus.Killed _ -> ": " + status;
      case ExitStatus.Unknown _ -> ", and only the daemon that started it could have seen how";
    };
  }
}
