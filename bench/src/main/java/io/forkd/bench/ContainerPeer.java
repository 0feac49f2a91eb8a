package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * An OCI runtime that makes a new container for every run. The files the workload reads are in the
 * host's page cache already: what is cold is the container and the Python in it.
 */
final class ContainerPeer implements Peer {
  private static final Duration LONGEST = Duration.ofMinutes(3);

  private final ContainerRuntime runtime;
  private final Path root;
  private final int n;
  private final int parallel;
  private final Undo undo;
  private final Program program;

  ContainerPeer(ContainerRuntime runtime, Path root, int n, int parallel, Undo undo) {
    this.runtime = runtime;
    this.root = root;
    this.n = n;
    this.parallel = parallel;
    this.undo = undo;
    this.program = new Program(undo);
  }

  @Override
  public String name() {
    return runtime.name();
  }

  @Override
  public String debianPackage() {
    return runtime.name();
  }

  @Override
  public boolean installed() {
    return Spawn.find(runtime.name()).isPresent();
  }

  @Override
  public String version(Path work) {
    return program
        .run(List.of(runtime.name(), "--version"), work.resolve("version"), LONGEST)
        .output()
        .lines()
        .findFirst()
        .orElse("unknown");
  }

  @Override
  public Result run(Path work, Narrator narrator) {
    ContainerRuntime.Variant variant = workingVariant(work);
    List<String> ids = IntStream.range(0, n).mapToObj(ContainerPeer::id).toList();
    ids.forEach(id -> bundle(work, id));
    narrator.begin("Running the workload %d times in %s".formatted(n, runtime.name()));
    double cpuBefore = Program.cpuOfEndedChildrenMillis();
    Stopwatch watch = new Stopwatch();
    List<Double> each = Parallel.map(ids, parallel, id -> once(work, variant, id));
    double wall = watch.millis();
    double cpu = (Program.cpuOfEndedChildrenMillis() - cpuBefore) / n;
    return new Result(
        runtime.name(),
        runtime.name() + " container, cold",
        n,
        wall,
        Samples.of(each),
        Optional.of(Stopwatch.rounded(cpu)),
        Optional.empty(),
        Optional.empty(),
        variant.remark().map(List::of).orElse(List.of()));
  }

  /** The first way of calling the runtime that gives the right answer on this host. */
  private ContainerRuntime.Variant workingVariant(Path work) {
    List<String> complaints = new ArrayList<>();
    int probe = 0;
    for (ContainerRuntime.Variant variant : runtime.variants()) {
      String id = id(-1 - probe++);
      bundle(work, id);
      try {
        once(work, variant, id);
        return variant;
      } catch (ForkdException e) {
        complaints.add(String.valueOf(e.getMessage()));
      }
    }
    throw new ForkdException(
        ErrorCode.HOST_FAILED,
        "%s does not run the workload here: %s"
            .formatted(runtime.name(), String.join(" / ", complaints)));
  }

  private double once(Path work, ContainerRuntime.Variant variant, String id) {
    Path bundle = work.resolve(id);
    Path state = work.resolve("state");
    try (Undo.Mark mark = undo.remember("removing container " + id, () -> remove(work, id))) {
      Program.Ended ended =
          program.run(variant.run(state, bundle, id), bundle.resolve("log"), LONGEST);
      if (!ended.succeeded() || !ended.output().contains(Workload.ANSWER)) {
        throw new ForkdException(
            ErrorCode.HOST_FAILED,
            "%s ended with %s; %s"
                .formatted(
                    String.join(" ", variant.run(state, bundle, id)),
                    ended.status(),
                    ended.lastLine()));
      }
      // `run` removes the container of a workload that ended.
      mark.forget();
      return ended.millis();
    }
  }

  private void remove(Path work, String id) throws IOException {
    Path state = work.resolve("state");
    if (Files.isDirectory(state)) {
      // Not through Program: when everything is taken back, nothing new may be remembered.
      ContainerRuntime.quietly(runtime.variants().getFirst().delete(state, id));
    }
    ControlGroupLeftovers.remove(id);
  }

  private void bundle(Path work, String id) {
    try {
      OciBundle.write(work.resolve(id), root);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String id(int number) {
    return "forkd-bench-%d-%s"
        .formatted(ProcessHandle.current().pid(), number < 0 ? "probe" + -number : "" + number);
  }
}
