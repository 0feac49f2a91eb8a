package io.forkd.bench;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Made-up reports for the tests of those who write them down. */
final class Reports {
  private Reports() {}

  static SpawnReport full() {
    return report(
        List.of(
            forkd("forkd", 2000, 0),
            forkd("forkd-pool", 200, 4),
            peer("crun", 4, 1000),
            peer("runsc", 2, 4000),
            peer("qemu-boot", 1, 9000)));
  }

  static SpawnReport withoutPeers() {
    return report(List.of(forkd("forkd", 2000, 0)));
  }

  static SpawnReport withMissingPeer() {
    return report(
        List.of(
            forkd("forkd", 2000, 0),
            Result.missing("crun", "not installed; next: apt-get install crun"),
            peer("runsc", 4, 4000)));
  }

  private static SpawnReport report(List<Result> results) {
    return new SpawnReport(
        machine(),
        new SpawnOptions(
            "py",
            4,
            true,
            true,
            Optional.empty(),
            Optional.empty(),
            2,
            4,
            false,
            Path.of("/results")),
        123.4,
        Optional.of(
            new Restored(
                Samples.of(List.of(40.5, 41.5)),
                Samples.of(List.of(20480.0, 20480.0)),
                Samples.of(List.of(0.0, 4.0)))),
        Optional.of(5000.0),
        List.of(new ProcessReading(7, 300, 33000, 2200)),
        results);
  }

  static Machine machine() {
    return new Machine(
        Instant.parse("2026-11-15T12:00:00.5Z"),
        "x86_64",
        2,
        "CPU <A&B> \"fast\"",
        "6.1.0",
        24000,
        "tcg",
        "1.00 2.00 3.00",
        Map.of("vmm", "qemu 7.2.22"));
  }

  static Result forkd(String name, double wallMs, int pooled) {
    Samples four = Samples.of(List.of(10.0, 20.0, 30.0, 40.0));
    return new Result(
        name,
        name + " children",
        4,
        wallMs,
        four,
        Optional.of(50.0),
        Optional.of(
            new ChildFacts(
                pooled,
                wallMs / 2,
                Map.of("spawn", four, "total", four),
                four,
                four,
                four,
                four,
                2048)),
        Optional.empty(),
        List.of());
  }

  static Result peer(String name, int runs, double wallMs) {
    return new Result(
        name,
        name + " runs",
        runs,
        wallMs,
        Samples.of(List.of(wallMs)),
        Optional.of(90.0),
        Optional.empty(),
        Optional.empty(),
        List.of("A remark on " + name + "."));
  }
}
