package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.ProcStat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Finds VMM processes by the folder they work in: also those whose daemon died before it could note
 * them.
 */
final class StrayProcesses {
  private StrayProcesses() {}

  record Stray(long pid, long startTicks) {}

  static List<Stray> of(Path workplaces) {
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      // The kernel tells where a process works without any link on the way.
      Path real = Files.exists(workplaces) ? workplaces.toRealPath() : workplaces;
      return processes
          .filter(entry -> entry.getFileName().toString().matches("[0-9]+"))
          .filter(entry -> worksIn(entry, real))
          .flatMap(entry -> stray(Long.parseLong(entry.getFileName().toString())).stream())
          .toList();
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot look for processes in " + workplaces, e);
    }
  }

  private static boolean worksIn(Path process, Path workplaces) {
    try {
      // Nobody but a VMM works in a scratch folder. A removed one shows as "<path> (deleted)".
      Path folder = Files.readSymbolicLink(process.resolve("cwd"));
      return folder.startsWith(workplaces)
          && workplaces
              .relativize(folder)
              .toString()
              .matches("[^/]+/(g[0-9]+/)?" + Workplace.SCRATCH + "( \\(deleted\\))?");
    } catch (IOException e) {
      return false;
    }
  }

  private static Optional<Stray> stray(long pid) {
    return ProcStat.of(pid).map(stat -> new Stray(pid, stat.startTicks()));
  }
}
