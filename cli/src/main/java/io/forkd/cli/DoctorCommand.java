package io.forkd.cli;

import io.forkd.client.JsonObject;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** {@code forkd doctor}: says what this machine can do for forkd and how to make it do more. */
@Command(
    name = "doctor",
    description = "Check what this machine can do, and how to mend what it cannot.")
final class DoctorCommand extends ForkdCommand {
  DoctorCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    List<JsonObject> facts = new ArrayList<>();
    Map<Finding.Level, Integer> counts = new EnumMap<>(Finding.Level.class);
    for (Check check : checks(context)) {
      Finding finding = check.run();
      counts.merge(finding.level(), 1, Integer::sum);
      facts.add(json(check, finding));
      if (!json) {
        print(check, finding);
      }
    }
    int failed = counts.getOrDefault(Finding.Level.FAIL, 0);
    if (json) {
      terminal().json(JsonObject.ofPairs("ok", failed == 0, "checks", facts));
    } else {
      terminal()
          .out()
          .println(
              "%d ok, %d to know, %d failed"
                  .formatted(
                      counts.getOrDefault(Finding.Level.OK, 0),
                      counts.getOrDefault(Finding.Level.WARN, 0),
                      failed));
    }
    return failed == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  static List<Check> checks(Context context) {
    List<Check> checks = new ArrayList<>();
    checks.addAll(MachineChecks.of());
    checks.addAll(LimitChecks.of(context));
    checks.addAll(KernelChecks.of());
    checks.addAll(BranchChecks.of(context.variable(BranchChecks.CHOICE)));
    checks.addAll(NetworkChecks.of());
    checks.addAll(RoomChecks.of(context));
    checks.addAll(InstallationChecks.of(context));
    return checks;
  }

  private static JsonObject json(Check check, Finding finding) {
    return JsonObject.ofPairs(
        "name", check.name(),
        "status", finding.level().word(),
        "found", finding.found(),
        "meaning", finding.meaning(),
        "fix", finding.fix());
  }

  private void print(Check check, Finding finding) {
    String mark =
        switch (finding.level()) {
          case OK -> terminal().green("ok  ");
          case WARN -> terminal().yellow("warn");
          case FAIL -> terminal().red("FAIL");
        };
    terminal().out().println("%s  %-14s %s".formatted(mark, check.name(), finding.found()));
    if (finding.level() != Finding.Level.OK) {
      terminal().out().println("      %-14s %s".formatted("", finding.meaning()));
      if (!finding.fix().isEmpty()) {
        terminal().out().println("      %-14s %s".formatted("", "fix: " + finding.fix()));
      }
    }
  }
}
