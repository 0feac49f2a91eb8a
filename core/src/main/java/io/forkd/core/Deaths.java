package io.forkd.core;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.linux.Adopted;
import io.forkd.linux.ExitStatus;
import io.forkd.vmm.GuestStop;
import java.nio.file.Files;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Notes the ends of sandboxes that an earlier daemon left and that cannot go on. */
final class Deaths {
  /** Stands for what a record would have told. */
  private static final Tag UNKNOWN = Tag.of("unknown");

  private final Obituaries obituaries;
  private final boolean hostRestarted;

  Deaths(Obituaries obituaries, boolean hostRestarted) {
    this.obituaries = obituaries;
    this.hostRestarted = hostRestarted;
  }

  boolean hostRestarted() {
    return hostRestarted;
  }

  /** Whether a sandbox has died while no daemon ran; its end is noted then. */
  boolean foundBefore(Workplace place, SandboxRecord last) {
    Optional<EndReason> reason = before(place, last);
    reason.ifPresent(found -> note(last, found));
    return reason.isPresent();
  }

  private Optional<EndReason> before(Workplace place, SandboxRecord last) {
    if (hostRestarted) {
      return Optional.of(new EndReason(EndReason.Kind.HOST_RESTART, "the host was restarted"));
    }
    if (!alive(last)) {
      return Optional.of(
          Files.exists(place.dir())
              ? Autopsy.of(place, last, Optional.empty(), new ExitStatus.Unknown())
              : new EndReason(
                  EndReason.Kind.HOST_RESTART,
                  "its process and its run folder were gone when the daemon started, as after a"
                      + " restart"));
    }
    return Optional.empty();
  }

  /** Notes the end of a sandbox that lived when it was found and could not be had. */
  void notTakenOver(
      Workplace place, SandboxRecord last, Optional<GuestStop> stop, RuntimeException failure) {
    note(
        last,
        stop.isPresent()
            ? Autopsy.of(place, last, stop, new ExitStatus.Unknown())
            : new EndReason(
                EndReason.Kind.LOST,
                "a daemon that started could not take it over: " + failure.getMessage()));
  }

  /** Notes the end of a sandbox of which nothing but its id is known. */
  void unreadable(SandboxId id) {
    Log.CORE.error("{} is lost: its record cannot be read", id);
    obituaries.add(
        new EndedSandbox(
            id,
            UNKNOWN,
            Instant.now(),
            Instant.now(),
            new EndReason(EndReason.Kind.LOST, "its record in the registry could not be read"),
            Map.of(),
            Optional.empty()));
  }

  private void note(SandboxRecord last, EndReason reason) {
    Log.CORE.warn("{} has ended: {} {}", last.id(), reason.text(), reason.log());
    obituaries.add(last.toEnded(reason));
  }

  private static boolean alive(SandboxRecord last) {
    Optional<Adopted> process = Adopted.open(last.pid(), last.startTime());
    process.ifPresent(Adopted::close);
    return process.isPresent();
  }
}
