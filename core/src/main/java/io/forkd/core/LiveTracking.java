package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import io.forkd.linux.SoftDirtyProbe;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * How this host can tell which pages a sandbox writes while it is being copied.
 *
 * @param reason what was found, for people
 */
record LiveTracking(BranchWay way, String reason) {
  /** The operator's choice. */
  static final String VARIABLE = "FORKD_LIVE_BRANCH";

  /** A VMM with less memory of its own is copied in a pause as short, and much sooner. */
  private static final long WORTH_MIGRATING = 64L << 20;

  /** By what the host can do, unless {@code FORKD_LIVE_BRANCH} names a way. */
  static LiveTracking ofHost(Map<String, String> env) {
    return choose(env, Probes::liveBranch, SoftDirtyProbe::run);
  }

  static LiveTracking choose(
      Map<String, String> env, Supplier<Probe> userfaultfd, Supplier<Probe> softDirty) {
    String wanted = env.getOrDefault(VARIABLE, "auto");
    String chosen = VARIABLE + "=" + wanted;
    return switch (wanted) {
      case "auto", "" -> best(userfaultfd.get(), softDirty.get());
      case "userfaultfd" -> demanded(chosen, BranchWay.USERFAULTFD, userfaultfd.get());
      case "soft-dirty" -> demanded(chosen, BranchWay.SOFT_DIRTY, softDirty.get());
      case "migration" -> new LiveTracking(BranchWay.MIGRATION, "migration: " + chosen);
      case "off" -> new LiveTracking(BranchWay.PAUSED, chosen);
      default ->
          throw ForkdException.badRequest(
              "%s is '%s': use userfaultfd, soft-dirty, migration, off or auto.",
              VARIABLE, Printable.shorten(wanted));
    };
  }

  private static LiveTracking demanded(String chosen, BranchWay way, Probe found) {
    if (!found.works()) {
      throw ForkdException.badRequest(
          "%s cannot be had on this host: %s. Use migration or auto.", chosen, found.reason());
    }
    return new LiveTracking(way, "%s (%s)".formatted(found.reason(), chosen));
  }

  private static LiveTracking best(Probe userfaultfd, Probe softDirty) {
    if (userfaultfd.works()) {
      return new LiveTracking(BranchWay.USERFAULTFD, userfaultfd.reason());
    }
    if (softDirty.works()) {
      return new LiveTracking(
          BranchWay.SOFT_DIRTY,
          "soft-dirty: %s (not by userfaultfd: %s)"
              .formatted(softDirty.reason(), userfaultfd.reason()));
    }
    return new LiveTracking(
        BranchWay.MIGRATION,
        "migration: QEMU tells what is written (neither by userfaultfd: %s; nor by soft-dirty: %s)"
            .formatted(userfaultfd.reason(), softDirty.reason()));
  }

  /** Whether sandboxes can be branched live; by {@link #of one way or another} all can. */
  boolean works() {
    return way != BranchWay.PAUSED;
  }

  /**
   * How a sandbox is branched.
   *
   * @param tracker the userfaultfd its VMM holds. One that could not be had, or is not of this
   *     daemon's making, leaves the VMM's own way.
   */
  BranchWay wayOf(Optional<Integer> tracker) {
    return way == BranchWay.USERFAULTFD && tracker.isEmpty() ? BranchWay.MIGRATION : way;
  }

  /**
   * How a branch of a sandbox is taken.
   *
   * @param wanted the best there is, when empty
   */
  Capturer.Way of(LiveSandbox source, Optional<BranchMode> wanted) {
    if (wanted.orElse(BranchMode.LIVE) != BranchMode.LIVE) {
      return new Capturer.WhilePaused();
    }
    if (wanted.isPresent() && !works()) {
      throw ForkdException.badRequest(
          "sandbox %s cannot be branched live (%s): use mode diff.", source.id(), reason);
    }
    Capturer.Way best = of(source.sandboxRecord().writeTracker());
    boolean pays =
        wanted.isPresent()
            || !(best instanceof Capturer.ByMigration)
            || UsageReader.of(source).privateBytes() >= WORTH_MIGRATING;
    return pays ? best : new Capturer.WhilePaused();
  }

  Capturer.Way of(Optional<Integer> tracker) {
    return switch (wayOf(tracker)) {
      case USERFAULTFD -> new Capturer.ByUserfaultfd(tracker.orElseThrow());
      case SOFT_DIRTY -> new Capturer.BySoftDirty();
      case MIGRATION -> new Capturer.ByMigration();
      case PAUSED -> new Capturer.WhilePaused();
    };
  }

  boolean needsUserfaultfd() {
    return way == BranchWay.USERFAULTFD;
  }
}
