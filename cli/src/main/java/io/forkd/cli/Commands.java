package io.forkd.cli;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/** The commands of {@code forkd}, in the order help lists them. */
final class Commands {
  /** A command by name, made only when it is to run or to be listed. */
  record Entry(String name, Function<Context, Object> maker, String... aliases) {
    Object make(Context context) {
      return maker.apply(context);
    }

    boolean isCalled(String word) {
      return name.equals(word) || Arrays.asList(aliases).contains(word);
    }
  }

  private static final List<Entry> ALL =
      List.of(
          new Entry("quickstart", QuickstartCommand::new),
          new Entry("doctor", DoctorCommand::new),
          new Entry("snapshot", SnapshotCommand::new),
          new Entry("snapshot-diff", SnapshotDiffCommand::new),
          new Entry("snapshot-info", SnapshotInfoCommand::new),
          new Entry("snapshot-compact", SnapshotCompactCommand::new),
          new Entry("images", ImagesCommand::new),
          new Entry("tree", TreeCommand::new),
          new Entry("rmi", RmiCommand::new),
          new Entry("gc", GcCommand::new),
          new Entry("where", WhereCommand::new),
          new Entry("fork", ForkCommand::new, "spawn"),
          new Entry("branch", BranchCommand::new),
          new Entry("rollback", RollbackCommand::new),
          new Entry("diff", DiffCommand::new),
          new Entry("ls", LsCommand::new),
          new Entry("top", TopCommand::new),
          new Entry("events", EventsCommand::new),
          new Entry("info", InfoCommand::new),
          new Entry("update", UpdateCommand::new),
          new Entry("egress", EgressCommand::new),
          new Entry("pause", PauseCommand::new),
          new Entry("resume", ResumeCommand::new),
          new Entry("kill", KillCommand::new),
          new Entry("exec", ExecCommand::new),
          new Entry("shell", ShellCommand::new),
          new Entry("ps", PsCommand::new),
          new Entry("attach", AttachCommand::new),
          new Entry("signal", SignalCommand::new),
          new Entry("cp", CpCommand::new),
          new Entry("files", FilesCommand::new),
          new Entry("eval", EvalCommand::new),
          new Entry("run-code", RunCodeCommand::new),
          new Entry("context", ContextCommand::new),
          new Entry("env", EnvCommand::new),
          new Entry("metrics", MetricsCommand::new),
          new Entry("ping", PingCommand::new),
          new Entry("port", PortCommand::new),
          new Entry("pool", PoolCommand::new),
          new Entry("key", KeyCommand::new),
          new Entry("workspace", WorkspaceCommand::new, "ws"),
          new Entry("bench", BenchCommand::new),
          new Entry("daemon", DaemonCommand::new),
          new Entry("cleanup", CleanupCommand::new));

  private Commands() {}

  /** The one called so, or all when none is: for help, or to suggest a name. */
  static List<Entry> matching(String word) {
    List<Entry> found = ALL.stream().filter(entry -> entry.isCalled(word)).toList();
    return found.isEmpty() ? ALL : found;
  }

  static List<Entry> all() {
    return ALL;
  }
}
