package io.forkd.cli;

import io.forkd.base.Printable;
import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import io.forkd.linux.SoftDirtyProbe;
import java.util.List;
import java.util.Optional;

/** In which ways this host can branch a running sandbox. */
final class BranchChecks {
  private static final String NEWER_KERNEL = "use kernel 6.7 or newer (aarch64: 6.10)";
  private static final String FOR_LIVE =
      NEWER_KERNEL
          + " with CONFIG_USERFAULTFD, and let forkd trace VMMs: run it as root, or set"
          + " kernel.yama.ptrace_scope to 0";

  /** The operator's choice of a way; it counts where the daemon runs. */
  static final String CHOICE = "FORKD_LIVE_BRANCH";

  private BranchChecks() {}

  /**
   * The checks of branches.
   *
   * @param choice what {@code FORKD_LIVE_BRANCH} says
   */
  static List<Check> of(Optional<String> choice) {
    // Trying it starts and traces a process, so both checks share one try.
    LiveBranch live = new LiveBranch();
    return List.of(
        new Check("branch-live", () -> live(live.tried())),
        new Check("soft-dirty", () -> softDirty(live.tried(), SoftDirtyProbe.run())),
        new Check("branch-migration", () -> migration(live.tried(), SoftDirtyProbe.run(), choice)),
        new Check("branch-diff", () -> diff(Probes.pagemapScan(), HostProbes.pagemap())));
  }

  /** One try of live branches, made when somebody first wants to know. */
  private static final class LiveBranch {
    private Optional<Probe> found = Optional.empty();

    Probe tried() {
      if (found.isEmpty()) {
        found = Optional.of(Probes.liveBranch());
      }
      return found.get();
    }
  }

  static Finding live(Probe live) {
    return Finding.of(
        live,
        "live branches: a sandbox pauses for milliseconds however much it has changed",
        "no live branches this way: a branch pauses the longer, the more has changed",
        FOR_LIVE);
  }

  static Finding softDirty(Probe live, Probe softDirty) {
    if (live.works()) {
      return Finding.ok(
          "not needed (%s)".formatted(softDirty.reason()),
          "not needed: live branches work without");
    }
    return Finding.of(
        softDirty,
        "live branches go by the kernel's soft-dirty marks instead",
        "live branches fall back on QEMU's own migration",
        FOR_LIVE);
  }

  static Finding migration(Probe live, Probe softDirty, Optional<String> choice) {
    return switch (choice.orElse("auto")) {
      case "auto" ->
          live.works() || softDirty.works()
              ? Finding.ok("not needed", "not needed: live branches work without")
              : Finding.warn(
                  "neither userfaultfd nor soft-dirty",
                  "live branches go by QEMU's migration: a short pause, but seconds in all, and a"
                      + " snapshot's whole memory is held while it is used",
                  FOR_LIVE);
      case "userfaultfd", "soft-dirty", "migration" ->
          Finding.ok(CHOICE + "=" + choice.get(), "live branches go this way by your choice");
      case "off" -> Finding.ok(CHOICE + "=off", "no live branches, by your choice");
      default ->
          Finding.fail(
              "%s is '%s'".formatted(CHOICE, Printable.shorten(choice.get())),
              "forkd does not start with it",
              "use userfaultfd, soft-dirty, migration, off or auto");
    };
  }

  static Finding diff(Probe scan, Probe pagemap) {
    if (scan.works()) {
      return Finding.ok(scan.reason(), "what a sandbox changed is found in one call");
    }
    if (pagemap.works()) {
      return Finding.warn(
          "%s, but %s".formatted(scan.reason(), pagemap.reason()),
          "diff branches work; their pause is longer by the time to read a table of all pages",
          NEWER_KERNEL);
    }
    return Finding.warn(
        "%s, and %s".formatted(scan.reason(), pagemap.reason()),
        "no sandbox can be branched; forks work",
        "use a kernel with CONFIG_PROC_PAGE_MONITOR and let forkd read /proc");
  }
}
