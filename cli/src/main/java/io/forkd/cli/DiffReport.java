package io.forkd.cli;

import io.forkd.client.Comparison;
import io.forkd.client.Comparison.FileChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A comparison as lines to read; paths, text and names come from guests and are made visible. */
final class DiffReport {
  private static final int SHOWN_PROCESSES = 10;

  private final Comparison comparison;
  private final Terminal terminal;

  DiffReport(Comparison comparison, Terminal terminal) {
    this.comparison = comparison;
    this.terminal = terminal;
  }

  /** A line per file, and after it the unified diff when there is one. */
  List<String> changes() {
    List<String> lines = new ArrayList<>();
    for (FileChange file : comparison.files()) {
      String path = Visible.name(file.path());
      lines.add(terminal.bold("%s %s (%s)".formatted(file.change(), path, detail(file))));
      file.unified().ifPresent(unified -> lines.addAll(unified(file, path, unified)));
    }
    return lines;
  }

  /** A row per file, with the lines added and removed when it is text. */
  List<String> statistics() {
    int width =
        comparison.files().stream()
            .mapToInt(file -> Visible.name(file.path()).length())
            .max()
            .orElse(0);
    return comparison.files().stream()
        .map(
            file -> {
              String path = Visible.name(file.path());
              return path + " ".repeat(width - path.length()) + " | " + count(file);
            })
        .toList();
  }

  /** Files, memory and processes in numbers, after the processes only one side has. */
  List<String> summary() {
    List<String> lines = new ArrayList<>();
    Comparison.Processes processes = comparison.processes();
    addProcesses(lines, "-", comparison.a(), processes.onlyA());
    addProcesses(lines, "+", comparison.b(), processes.onlyB());
    lines.add("%s. %s. %s.".formatted(files(), pages(), processes(processes)));
    return lines;
  }

  private List<String> unified(FileChange file, String path, String unified) {
    List<String> lines = new ArrayList<>();
    if (!unified.startsWith("--- ")) {
      lines.add("--- " + (file.change().equals("added") ? "/dev/null" : "a" + path));
      lines.add("+++ " + (file.change().equals("removed") ? "/dev/null" : "b" + path));
    }
    Visible.text(unified).lines().forEach(lines::add);
    return lines.stream().map(this::painted).toList();
  }

  private String painted(String line) {
    if (line.startsWith("--- ") || line.startsWith("+++ ")) {
      return terminal.bold(line);
    }
    if (line.startsWith("@@")) {
      return terminal.faint(line);
    }
    if (line.startsWith("+")) {
      return terminal.green(line);
    }
    return line.startsWith("-") ? terminal.red(line) : line;
  }

  private String count(FileChange file) {
    if (file.linesAdded() == 0 && file.linesRemoved() == 0) {
      return "%s (%s)".formatted(file.change(), detail(file));
    }
    String lines =
        terminal.green("+" + file.linesAdded()) + " " + terminal.red("-" + file.linesRemoved());
    return file.change().equals("changed") ? lines : lines + " (" + file.change() + ")";
  }

  private static String detail(FileChange file) {
    List<String> facts = new ArrayList<>(List.of(file.type()));
    if (file.change().equals("changed")) {
      facts.addAll(file.what());
    }
    if (file.type().equals("file")) {
      String size = size(file);
      if (!size.isEmpty()) {
        facts.add(size);
      }
    }
    return Visible.name(String.join(", ", facts));
  }

  private static String size(FileChange file) {
    if (file.sizeA().isPresent() && file.sizeB().isPresent()) {
      return file.sizeA().equals(file.sizeB())
          ? Units.bytes(file.sizeA().get())
          : Units.bytes(file.sizeA().get()) + " → " + Units.bytes(file.sizeB().get());
    }
    return file.sizeB().or(file::sizeA).map(Units::bytes).orElse("");
  }

  private static void addProcesses(List<String> lines, String sign, String side, List<String> all) {
    all.stream()
        .limit(SHOWN_PROCESSES)
        .forEach(
            process ->
                lines.add(
                    "%s process %s, only in %s".formatted(sign, Visible.name(process), side)));
    if (all.size() > SHOWN_PROCESSES) {
      lines.add(
          "%s %d more processes, only in %s".formatted(sign, all.size() - SHOWN_PROCESSES, side));
    }
  }

  private String files() {
    return "Files: %d added, %d changed, %d removed"
        .formatted(count("added"), count("changed"), count("removed"));
  }

  private long count(String change) {
    return comparison.files().stream().filter(file -> file.change().equals(change)).count();
  }

  private String pages() {
    Comparison.Pages pages = comparison.pages();
    return String.format(
        Locale.ROOT,
        "Memory: %d of %d pages differ (%.1f MiB)",
        pages.differing(),
        pages.total(),
        pages.differingBytes() / 1048576.0);
  }

  private String processes(Comparison.Processes processes) {
    return "Processes: %d in %s, %d in %s"
        .formatted(processes.inA(), comparison.a(), processes.inB(), comparison.b());
  }
}
