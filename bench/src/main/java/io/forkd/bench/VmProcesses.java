package io.forkd.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Finds the VMM processes of one daemon, known or not: those that work inside its run folder. */
final class VmProcesses {
  private VmProcesses() {}

  static List<Long> under(Path run) {
    return ProcessHandle.allProcesses()
        .map(ProcessHandle::pid)
        .filter(pid -> worksUnder(pid, run))
        .toList();
  }

  private static boolean worksUnder(long pid, Path run) {
    try {
      return Files.readSymbolicLink(Path.of("/proc", Long.toString(pid), "cwd"))
          .startsWith(run.resolve("sb"));
    } catch (IOException | SecurityException e) {
      return false; // ended just now, or another user's
    }
  }
}
