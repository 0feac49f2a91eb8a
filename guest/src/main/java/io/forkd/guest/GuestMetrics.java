package io.forkd.guest;

import java.time.Instant;

/**
 * How much of its resources a guest uses, in bytes where not said otherwise.
 *
 * @param cpuUsedPercent of all CPUs together, since the last question or the boot
 * @param diskTotal of the file system its root is on
 */
public record GuestMetrics(
    Instant at,
    int cpus,
    double cpuUsedPercent,
    long memoryTotal,
    long memoryUsed,
    long memoryCache,
    long diskTotal,
    long diskUsed) {}
