package io.forkd.cli;

import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What forkd itself brings and has made: packages, guest kernel, daemon. */
final class InstallationChecks {
  private final Context context;

  private InstallationChecks(Context context) {
    this.context = context;
  }

  static List<Check> of(Context context) {
    InstallationChecks checks = new InstallationChecks(context);
    return List.of(
        new Check("packages", checks::packages),
        new Check("kernel image", checks::kernelImage),
        new Check("recipes", checks::recipes),
        new Check("data folder", checks::dataFolder),
        new Check("daemon", checks::daemon));
  }

  private Finding packages() {
    List<String> missing =
        Packages.missing(Packages.needed(context.home().resolve("packaging/packages-run")));
    return missing.isEmpty()
        ? Finding.ok("all Debian packages are installed", "guests can be built and run")
        : Finding.fail(
            "missing: " + String.join(" ", missing),
            "guests cannot be built or run",
            "apt-get install " + String.join(" ", missing) + ", or forkd quickstart --yes");
  }

  private Finding kernelImage() {
    Optional<Path> cached = findKernel(context.locations().data().resolve("images"), 3);
    if (cached.isPresent()) {
      return Finding.ok(cached.get().toString(), "guests boot this one");
    }
    String name = "linux-image-cloud-" + (Host.arch().equals("x86_64") ? "amd64" : "arm64");
    Host.Output output =
        Host.run(
            List.of("apt-cache", "policy", name, "linux-image-virtual", "linux-image-generic"));
    boolean candidate =
        output.text().lines().anyMatch(line -> line.matches("\\s*Candidate: [0-9].*"));
    return candidate
        ? Finding.ok(
            "none cached yet; the distribution offers one", "it is fetched with the first image")
        : Finding.warn(
            "none cached, and apt offers none", "a snapshot needs --kernel FILE", "apt-get update");
  }

  private static Optional<Path> findKernel(Path folder, int depth) {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> files = Files.walk(folder, depth)) {
      return files.filter(file -> file.getFileName().toString().startsWith("vmlinu")).findFirst();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private Finding recipes() {
    return Files.isRegularFile(context.recipes().resolve("python-numpy.toml"))
        ? Finding.ok("in " + context.recipes(), "python-numpy can be made")
        : Finding.warn(
            "no python-numpy.toml in " + context.recipes(),
            "quickstart has nothing to make",
            "run ./forkd from its own folder");
  }

  private Finding dataFolder() {
    Path data = context.locations().data();
    if (!Files.exists(data)) {
      return Finding.ok(data + " is not there yet", "made with the first daemon");
    }
    return Files.isWritable(data)
        ? Finding.ok(data + " can be written", "snapshots can be kept")
        : Finding.fail(
            data + " cannot be written", "the daemon cannot start", "chown it, or set FORKD_DATA");
  }

  private Finding daemon() {
    DaemonLink link = new DaemonLink(context);
    if (!link.foreign() && !Files.exists(context.locations().socket())) {
      return Finding.ok("not running", "it starts by itself with the first command that needs it");
    }
    try (ForkdClient client = link.client()) {
      DaemonStatus status = client.status();
      return status.version().equals(Version.text())
          ? Finding.ok(
              "answers on " + link.endpoint() + ", pid " + status.pid(),
              "version " + status.version())
          : Finding.warn(
              "is of version " + status.version(),
              "this command is " + Version.text(),
              "forkd daemon restart");
    } catch (ForkdClientException e) {
      if (link.foreign()) {
        return Finding.fail(
            e.getMessage(), "commands exit with 3", "check FORKD_URL and FORKD_TOKEN");
      }
      return Finding.warn(
          "does not answer on " + link.endpoint() + ": " + e.getMessage(),
          "it is starting, hung, or died and left its socket",
          "forkd daemon restart; forkd daemon logs");
    }
  }
}
