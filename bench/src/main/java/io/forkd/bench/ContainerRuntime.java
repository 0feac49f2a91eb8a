package io.forkd.bench;

import io.forkd.linux.Cgroups;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An OCI runtime and the ways it can be called, best first.
 *
 * @param variants tried in order until one works on this host
 */
record ContainerRuntime(String name, List<Variant> variants) {
  /** crun cannot use a v1 host whose v2 hierarchy is mounted too, as systemd's hybrid layout is. */
  private static final String WITHOUT_V2 = "umount /sys/fs/cgroup/unified && exec \"$@\"";

  ContainerRuntime {
    variants = List.copyOf(variants);
  }

  /**
   * One way of calling a runtime.
   *
   * @param prefix what runs the runtime
   * @param options of the runtime itself
   * @param remark what a reader of the numbers should know
   */
  record Variant(
      List<String> prefix, String runtime, List<String> options, Optional<String> remark) {
    List<String> run(Path state, Path bundle, String id) {
      return command(state, List.of("run", "--bundle", bundle.toString(), id));
    }

    List<String> delete(Path state, String id) {
      return command(state, List.of("delete", "--force", id));
    }

    private List<String> command(Path state, List<String> rest) {
      List<String> command = new ArrayList<>(prefix);
      command.add(runtime);
      command.addAll(List.of("--root", state.toString()));
      command.addAll(options);
      command.addAll(rest);
      return command;
    }
  }

  static ContainerRuntime crun(Cgroups.Version cgroups) {
    List<String> options = List.of("--cgroup-manager=cgroupfs");
    Variant plain = new Variant(List.of(), "crun", options, Optional.empty());
    Variant inOwnMounts =
        new Variant(
            List.of("unshare", "--mount", "--propagation", "private", "sh", "-c", WITHOUT_V2, "sh"),
            "crun",
            options,
            Optional.of(
                "crun refuses hybrid cgroups, so it ran in a mount namespace without the v2"
                    + " hierarchy: three more programs to start, a few ms per run."));
    return new ContainerRuntime(
        "crun", cgroups == Cgroups.Version.HYBRID ? List.of(inOwnMounts, plain) : List.of(plain));
  }

  static ContainerRuntime runsc() {
    return new ContainerRuntime("runsc", List.of(runscOn("systrap"), runscOn("ptrace")));
  }

  private static Variant runscOn(String platform) {
    return new Variant(
        List.of(),
        "runsc",
        List.of("--network=none", "--ignore-cgroups", "--platform=" + platform),
        Optional.of("runsc used its platform " + platform + ", without cgroups and network."));
  }

  /** Runs a command whose outcome does not matter. */
  static void quietly(List<String> command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (!process.waitFor(30, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
