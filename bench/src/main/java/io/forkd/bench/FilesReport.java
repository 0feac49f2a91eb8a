package io.forkd.bench;

import io.forkd.client.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What {@code bench files} found out.
 *
 * @param sent the SHA-256 of what was sent
 * @param fetched the SHA-256 of what came back
 * @param heapBytes the most the daemon's heap held meanwhile, with what was not collected yet
 * @param residentBytes the most memory the daemon's process had meanwhile
 */
record FilesReport(
    Machine machine,
    FilesOptions options,
    double uploadMs,
    double downloadMs,
    String sent,
    String fetched,
    long heapBytes,
    long residentBytes) {
  private static final int MIB = 1 << 20;
  private static final double MOST_HEAP_MIB = 256;

  boolean intact() {
    return sent.equals(fetched);
  }

  Goal goal() {
    return new Goal(
        "daemon_heap",
        "the daemon's heap",
        Optional.of(heapBytes).filter(bytes -> bytes > 0).map(bytes -> (double) bytes / MIB),
        MOST_HEAP_MIB,
        "MiB",
        "");
  }

  /** Millions of bytes a second, as is usual for transfers. */
  private double megabytes(double millis) {
    return Stopwatch.rounded((double) options.mib() * MIB / 1000 / millis);
  }

  String text() {
    return String.format(
        Locale.ROOT,
        """
        A file of %d MiB into a child of %s and back
        %s

        up      %8.1f MB/s
        down    %8.1f MB/s
        hash    %s
        daemon  heap at most %d MiB (goal: at most %.0f: %s), resident at most %d MiB
        """,
        options.mib(),
        options.tag(),
        machine.line(),
        megabytes(uploadMs),
        megabytes(downloadMs),
        intact() ? "the same" : "DIFFERENT: sent %s, fetched %s".formatted(sent, fetched),
        heapBytes / MIB,
        MOST_HEAP_MIB,
        goal().met().map(met -> met ? "met" : "missed").orElse("not measured"),
        residentBytes / MIB);
  }

  JsonObject json() {
    return JsonObject.ofPairs(
        "benchmark",
        "files",
        "format",
        1,
        "machine",
        SpawnJson.machine(machine),
        "options",
        JsonObject.ofPairs(
            "tag", options.tag(), "mib", options.mib(), "memory_mib", options.memoryMib()),
        "upload_ms",
        uploadMs,
        "upload_mb_s",
        megabytes(uploadMs),
        "download_ms",
        downloadMs,
        "download_mb_s",
        megabytes(downloadMs),
        "sha256_sent",
        sent,
        "sha256_fetched",
        fetched,
        "intact",
        intact(),
        "daemon_heap_peak_bytes",
        heapBytes,
        "daemon_resident_peak_bytes",
        residentBytes,
        "goals",
        List.of(BranchJson.goal(goal())));
  }
}
