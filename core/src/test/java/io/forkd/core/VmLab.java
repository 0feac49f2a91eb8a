package io.forkd.core;

import io.forkd.base.Folders;
import io.forkd.base.Locations;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.EvalResult;
import io.forkd.registry.Registry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * A forkd on this host for tests with real VMs. Guest images are kept between runs in build/, since
 * making them takes a minute; everything else is new in each run.
 */
final class VmLab {
  static final Tag PYTHON = Tag.of("python-numpy");
  static final Duration WAIT = Duration.ofSeconds(60);

  private static final Path PROJECT = Path.of("..").toAbsolutePath().normalize();
  static final Path RECIPES = PROJECT.resolve("recipes");
  private static final VmLab SHARED = new VmLab("shared");

  final Locations locations;
  private Optional<Forkd> forkd = Optional.empty();
  private Optional<Registry> registry = Optional.empty();

  private VmLab(String name) {
    Path data = PROJECT.resolve("build/vm-tests/" + name);
    Path run = Path.of("/run/forkd-test-%s-%d".formatted(name, ProcessHandle.current().pid()));
    locations = new Locations(data, run);
    try {
      Folders.deleteIfThere(data.resolve("snapshots"));
      for (String file :
          List.of("pools.json", "registry.db", "registry.db-wal", "registry.db-shm")) {
        Files.deleteIfExists(data.resolve(file));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    Runtime.getRuntime().addShutdownHook(new Thread(this::destroy));
  }

  static VmLab shared() {
    return SHARED;
  }

  synchronized Forkd forkd() {
    if (forkd.isEmpty()) {
      forkd = Optional.of(LocalForkd.open(config()));
    }
    return forkd.get();
  }

  private Registry registry() {
    Registry fresh = Registry.open(locations.data());
    registry = Optional.of(fresh);
    return fresh;
  }

  private void closeRegistry() {
    registry.ifPresent(Registry::close);
    registry = Optional.empty();
  }

  /** As if the daemon had been stopped, and started with another way to take live branches. */
  synchronized void reopenWith(LiveTracking live) {
    forkd.ifPresent(Forkd::close);
    closeRegistry();
    forkd = Optional.of(LocalForkd.open(config(), live));
  }

  private CoreConfig config() {
    return new CoreConfig(locations, RECIPES, Policy.DEFAULT, registry());
  }

  /** As if the daemon had been stopped and started. */
  synchronized Forkd reopen() {
    forkd.ifPresent(Forkd::close);
    forkd = Optional.empty();
    closeRegistry();
    return forkd();
  }

  /** As if the daemon had been killed: nothing is told to anybody. */
  synchronized Forkd reopenAfterCrash() {
    forkd.ifPresent(old -> ((HostForkd) old).crash());
    forkd = Optional.empty();
    closeRegistry();
    return forkd();
  }

  /** As if the daemon had been stopped and started later. */
  synchronized void whileStopped(Runnable meanwhile) {
    forkd.ifPresent(Forkd::close);
    forkd = Optional.empty();
    closeRegistry();
    meanwhile.run();
    forkd();
  }

  /** The snapshot most tests fork, made by the first that asks. */
  synchronized Tag python() {
    Forkd current = forkd();
    if (current.snapshots().stream().noneMatch(snapshot -> snapshot.tag().equals(PYTHON))) {
      current.createSnapshot(
          recipe(PYTHON, "python-numpy"),
          (step, detail) -> System.out.printf("[vm] %s: %s%n", step, detail));
    }
    return PYTHON;
  }

  static SnapshotSpec recipe(Tag tag, String recipe) {
    return new SnapshotSpec(
        tag,
        new SnapshotSpec.FromRecipe(recipe),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        SnapshotSpec.DEFAULT_BOOT_WAIT);
  }

  List<Sandbox> fork(int n) {
    ForkResult result = forkd().fork(new ForkSpec(python(), n, Optional.empty()));
    if (!result.failures().isEmpty()) {
      throw new AssertionError("children failed: " + result.failures());
    }
    return result.sandboxes();
  }

  String eval(Sandbox sandbox, String code) {
    EvalResult result = forkd().eval(sandbox.id(), code, WAIT);
    if (result.error().isPresent()) {
      throw new AssertionError(result.error().get() + result.traceback().orElse(""));
    }
    return result.result().orElse("");
  }

  String sh(Sandbox sandbox, String script) {
    var result = forkd().exec(sandbox.id(), List.of("/bin/sh", "-c", script), WAIT);
    if (result.exitCode() != 0) {
      throw new AssertionError("exit %d: %s".formatted(result.exitCode(), result.stderr()));
    }
    return result.stdout().strip();
  }

  void killAll() {
    forkd().sandboxes().forEach(sandbox -> forkd().kill(sandbox.id()));
  }

  /** Removes the snapshots a test made, dependents first. */
  void removeAllBut(Set<Tag> kept) {
    for (Snapshot snapshot : forkd().snapshots()) {
      boolean there =
          forkd().snapshots().stream().anyMatch(now -> now.tag().equals(snapshot.tag()));
      if (there && !kept.contains(snapshot.tag())) {
        await(() -> forkd().snapshot(snapshot.tag()).status() != Snapshot.Status.WRITING);
        forkd().removeSnapshot(snapshot.tag(), RemoveMode.CASCADE);
      }
    }
  }

  /** Waits for something that happens by itself. */
  void await(BooleanSupplier condition) {
    long deadline = System.nanoTime() + WAIT.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError("it did not happen within " + WAIT);
      }
      try {
        Thread.sleep(20);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Waits until what is made ahead of need is there. */
  void settle() {
    await(() -> ((HostForkd) forkd()).settled());
  }

  Path workplace(SandboxId id) {
    return locations.run().resolve("sb").resolve(id.value());
  }

  private synchronized void destroy() {
    forkd.ifPresent(
        current -> {
          current.sandboxes().forEach(sandbox -> current.kill(sandbox.id()));
          current.close();
          closeRegistry();
        });
    try {
      Folders.deleteIfThere(locations.run());
    } catch (IOException e) {
      System.err.println("cannot remove " + locations.run() + ": " + e);
    }
  }
}
