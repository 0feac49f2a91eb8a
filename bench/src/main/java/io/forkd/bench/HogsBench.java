package io.forkd.bench;

import io.forkd.client.ChildRequest;
import io.forkd.client.ForkRequest;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Asks a sandbox the same question over and over while others take all they can get. */
final class HogsBench {
  private static final int REHEARSALS = 50;

  /** Room for the whole guest and its VMM, so that the host ends no hog. */
  private static final int MEMORY_MIB = 1024;

  private static final int PIDS = 128;
  private static final Duration BETWEEN_QUESTIONS = Duration.ofMillis(5);
  private static final Duration HOGS_GET_GOING = Duration.ofSeconds(4);
  private static final Duration LONGEST = Duration.ofMinutes(30);

  private final ForkdClient client;
  private final Narrator narrator;
  private final Consumer<Duration> settle;
  private final List<String> failures = new ArrayList<>();

  /**
   * @param settle lets time pass, so that the end of one thing is not in another's measure
   */
  HogsBench(ForkdClient client, Narrator narrator, Consumer<Duration> settle) {
    this.client = client;
    this.narrator = narrator;
    this.settle = settle;
  }

  /** Hogs at work at the same time: one sandbox for each list. */
  private record Herd(String name, String what, List<List<Hog>> sandboxes) {}

  private static final List<Herd> HERDS =
      List.of(
          new Herd("fork_bomb", "a fork bomb", List.of(List.of(Hog.FORK_BOMB))),
          new Herd("memory_hog", "a memory hog", List.of(List.of(Hog.MEMORY))),
          new Herd("disk_hog", "a disk hog", List.of(List.of(Hog.DISK))),
          new Herd("all_in_one", "all three in one sandbox", List.of(List.of(Hog.values()))),
          new Herd(
              "all_apart",
              "all three, a sandbox each",
              List.of(List.of(Hog.FORK_BOMB), List.of(Hog.MEMORY), List.of(Hog.DISK))));

  HogsReport run(HogsOptions options) {
    Machine machine = Machine.read(Daemons.snapshot(client, options.tag()));
    Daemons.localStatus(client);
    List<HogRow> rows = new ArrayList<>();
    try (Undo undo = new Undo(narrator::warn)) {
      // Until the end: a pool that refills would take CPU time from whoever is measured.
      new PoolRun(client, options.tag(), narrator).resize(0, undo);
      try (Children forked = Children.fork(client, options.tag(), 1, undo)) {
        SandboxInfo asked = forked.all().getFirst();
        ask(asked, REHEARSALS);
        List<Double> quiet = ask(asked, options.evals());
        for (Herd herd : HERDS) {
          narrator.begin("Asking beside " + herd.what());
          List<Double> loud = beside(herd, asked, options, undo);
          settle.accept(Settling.PAUSE);
          List<Double> after = ask(asked, options.evals());
          quiet.addAll(after);
          rows.add(new HogRow(herd.name(), herd.what(), Samples.of(quiet), Samples.of(loud)));
          quiet = after;
        }
      }
    }
    return new HogsReport(machine, options, rows, failures);
  }

  private List<Double> beside(Herd herd, SandboxInfo asked, HogsOptions options, Undo undo) {
    ForkRequest request =
        new ForkRequest(options.tag(), herd.sandboxes().size(), false, limits(options.cpus()));
    try (Children hogs = Children.fork(client, request, undo)) {
      List<CompletableFuture<String>> ends = new ArrayList<>();
      for (int i = 0; i < hogs.all().size(); i++) {
        for (Hog hog : herd.sandboxes().get(i)) {
          ends.add(start(hogs.all().get(i), hog));
        }
      }
      settle.accept(HOGS_GET_GOING);
      List<Double> loud = ask(asked, options.evals());
      for (CompletableFuture<String> end : ends) {
        if (end.isDone()) {
          failures.add("%s: %s".formatted(herd.what(), end.join()));
        }
      }
      return loud;
    }
  }

  /** What ended it completes the future, too early or when its sandbox is killed. */
  private CompletableFuture<String> start(SandboxInfo sandbox, Hog hog) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            var outcome =
                client.exec(sandbox.id(), List.of("/bin/sh", "-c", hog.script()), LONGEST);
            return "the %s ended with %d".formatted(hog.title(), outcome.exitCode());
          } catch (ForkdClientException e) {
            return "the %s ended: %s".formatted(hog.title(), e.getMessage());
          }
        },
        task -> Thread.startVirtualThread(task));
  }

  private List<Double> ask(SandboxInfo child, int times) {
    List<Double> millis = new ArrayList<>();
    for (int i = 0; i < times; i++) {
      millis.add(Workload.ask(client, child));
      settle.accept(BETWEEN_QUESTIONS);
    }
    return millis;
  }

  private static ChildRequest limits(Optional<Double> cpus) {
    return new ChildRequest(
        Optional.of(MEMORY_MIB),
        cpus,
        Optional.of(PIDS),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Map.of(),
        Map.of());
  }
}
