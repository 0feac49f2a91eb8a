package io.forkd.cli;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The Debian packages forkd needs: a list in a file, what of it is missing, and how to get that.
 */
final class Packages {
  private static final int LONGEST_INSTALL_MINUTES = 30;

  private Packages() {}

  /** The names in a list of lines {@code name [arch] # comment} that apply to this machine. */
  static List<String> needed(Path list) {
    try {
      return Files.readAllLines(list).stream()
          .map(line -> line.replaceFirst("#.*", "").strip())
          .filter(line -> !line.isEmpty())
          .filter(Packages::forThisMachine)
          .map(line -> line.split("\\s+")[0])
          .toList();
    } catch (IOException e) {
      throw CliException.failed(
          "Cannot read the list of packages %s (%s). Next: reinstall forkd.".formatted(list, e));
    }
  }

  private static boolean forThisMachine(String line) {
    String[] words = line.split("\\s+");
    String arch = Host.arch().equals("x86_64") ? "amd64" : "arm64";
    return words.length == 1 || words[1].equals("[" + arch + "]");
  }

  static List<String> missing(List<String> names) {
    List<String> command =
        new ArrayList<>(List.of("dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\\n"));
    command.addAll(names);
    // Unknown names make dpkg-query fail though it prints what it knows.
    Set<String> installed =
        Host.run(command)
            .text()
            .lines()
            .filter(line -> line.endsWith(" installed"))
            .map(line -> line.split(" ")[0])
            .collect(Collectors.toSet());
    return names.stream().filter(name -> !installed.contains(name)).toList();
  }

  /** Installs packages with apt, once more with fresh package lists when the ones there fail. */
  static void install(List<String> names, Path log, Steps steps) {
    List<String> args = new ArrayList<>(List.of("install", "-y", "--no-install-recommends"));
    args.addAll(names);
    String[] install = args.toArray(String[]::new);
    steps.begin("packages", "Installing " + String.join(" ", names));
    try {
      apt(log, install);
    } catch (CliException e) {
      steps.begin("apt-update", "Fetching apt's package lists");
      updateLists(log);
      steps.begin("packages", "Installing " + String.join(" ", names));
      apt(log, install);
    }
  }

  /** Some other source's failure must not stop an installation that does not need it. */
  private static void updateLists(Path log) {
    try {
      apt(log, "update");
    } catch (CliException e) {
      // What it said is in the log; the installation that follows says what is missing.
    }
  }

  private static void apt(Path log, String... args) {
    List<String> command = new ArrayList<>(List.of("apt-get", "-o", "DPkg::Lock::Timeout=120"));
    command.addAll(Arrays.asList(args));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectInput(new File("/dev/null"))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().put("DEBIAN_FRONTEND", "noninteractive");
    String shown = String.join(" ", command);
    try {
      Process process = builder.start();
      if (!process.waitFor(LONGEST_INSTALL_MINUTES, TimeUnit.MINUTES)) {
        process.destroy();
        throw CliException.failed(
            "`%s` takes over %d minutes. Next: see %s."
                .formatted(shown, LONGEST_INSTALL_MINUTES, log));
      }
      if (process.exitValue() != 0) {
        throw CliException.failed(
            "`%s` failed:%n  %s%nNext: mend that and try again; all of it is in %s."
                .formatted(shown, String.join("\n  ", LogTail.lines(log, 10, 0)), log));
      }
    } catch (IOException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot run apt-get: %s. Next: install %s by hand.".formatted(e, shown),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CliException(ExitCode.FAILED, "Interrupted while installing packages.", e);
    }
  }
}
