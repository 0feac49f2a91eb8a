package io.forkd.core;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.forkd.base.ForkdException;
import java.util.Optional;

/**
 * What one sandbox may use of the host; empty means no more than the daemon's defaults.
 *
 * @param memoryMib memory of its own, beyond what it shares with its snapshot
 * @param cpus processors, in parts of one: 0.5 is half of one
 * @param pids threads of the VMM on the host, a fork bomb's last wall
 * @param ioBytesPerSecond read from and written to the host's disks, each
 */
public record Limits(
    Optional<Integer> memoryMib,
    Optional<Double> cpus,
    Optional<Integer> pids,
    Optional<Long> ioBytesPerSecond) {
  public static final int LEAST_MEMORY_MIB = 16;
  public static final int MOST_MEMORY_MIB = 1 << 20;
  public static final double LEAST_CPUS = 0.05;
  public static final int MOST_CPUS = 1024;
  public static final int LEAST_PIDS = 16;
  public static final int MOST_PIDS = 1 << 20;
  public static final long LEAST_IO = 64 << 10;

  public static final Limits NONE =
      new Limits(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

  public Limits {
    memoryMib.ifPresent(
        mib ->
            require(
                mib >= LEAST_MEMORY_MIB && mib <= MOST_MEMORY_MIB,
                "memory_limit_mib is %d: use %d to %d.",
                mib,
                LEAST_MEMORY_MIB,
                MOST_MEMORY_MIB));
    cpus.ifPresent(
        share ->
            require(
                share >= LEAST_CPUS && share <= MOST_CPUS,
                "cpus is %s: use %s to %d.",
                share,
                LEAST_CPUS,
                MOST_CPUS));
    pids.ifPresent(
        most ->
            require(
                most >= LEAST_PIDS && most <= MOST_PIDS,
                "pids is %d: use %d to %d.",
                most,
                LEAST_PIDS,
                MOST_PIDS));
    ioBytesPerSecond.ifPresent(
        rate ->
            require(rate >= LEAST_IO, "io_bytes_per_sec is %d: use %d or more.", rate, LEAST_IO));
  }

  public static Limits ofMemory(Optional<Integer> mib) {
    return new Limits(mib, Optional.empty(), Optional.empty(), Optional.empty());
  }

  /** These, and the other's where these say nothing. */
  public Limits or(Limits other) {
    return new Limits(
        memoryMib.or(other::memoryMib),
        cpus.or(other::cpus),
        pids.or(other::pids),
        ioBytesPerSecond.or(other::ioBytesPerSecond));
  }

  @FormatMethod
  private static void require(boolean holds, @FormatString String message, Object... parts) {
    if (!holds) {
      throw ForkdException.badRequest(message, parts);
    }
  }
}
