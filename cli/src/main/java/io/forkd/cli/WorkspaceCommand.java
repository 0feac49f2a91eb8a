package io.forkd.cli;

import io.forkd.base.Tag;
import io.forkd.client.ForkdClient;
import io.forkd.client.WorkspaceInfo;
import io.forkd.client.WorkspaceRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd workspace}: sandboxes with names that outlive the daemon and the host. */
@Command(
    name = "workspace",
    description = "Sandboxes with a name and a memory: create, ls, info, suspend, resume, rm.")
final class WorkspaceCommand extends GroupCommand {
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,53}");

  WorkspaceCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(
        new Commands.Entry("create", Create::new),
        new Commands.Entry("ls", Ls::new),
        new Commands.Entry("info", Info::new),
        new Commands.Entry("suspend", Suspend::new),
        new Commands.Entry("resume", Resume::new),
        new Commands.Entry("rm", Remove::new, "delete"));
  }

  private static void requireName(String name) {
    if (!NAME.matcher(name).matches()) {
      throw CliException.usage(
          "'%s' is no name for a workspace: use up to 54 letters, digits, '.', '_' and '-'."
              .formatted(Visible.name(name)));
    }
  }

  private static String sentence(Terminal terminal, WorkspaceInfo workspace) {
    return "%s %s%s"
        .formatted(
            terminal.bold(workspace.name()),
            States.text(terminal, workspace.status()),
            workspace
                .sandboxId()
                .map(id -> " as %s. Next: forkd exec %s -- CMD".formatted(id, id))
                .orElse(". Next: forkd workspace resume " + workspace.name()));
  }

  /** {@code forkd workspace create}. */
  @Command(name = "create", description = "Make a workspace of a snapshot and start it.")
  static final class Create extends ForkdCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "What it is called.")
    private String name = "";

    @Option(names = "--tag", required = true, paramLabel = "TAG", description = "The snapshot.")
    private String tag = "";

    @Mixin private ChildOptions child = new ChildOptions();

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      requireName(name);
      Tag.of(tag);
      WorkspaceRequest request = new WorkspaceRequest(name, tag, child.request());
      WorkspaceInfo workspace;
      try (ForkdClient client = daemon();
          Steps steps = new Steps(terminal())) {
        steps.begin("workspace", "Starting %s from %s".formatted(name, tag));
        workspace = client.workspaces().create(request);
      }
      if (json) {
        terminal().json(workspace.json());
      } else {
        terminal().out().println(sentence(terminal(), workspace));
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd workspace ls}. */
  @Command(name = "ls", description = "List the workspaces.")
  static final class Ls extends ForkdCommand {
    Ls(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      List<WorkspaceInfo> all;
      try (ForkdClient client = daemon()) {
        all = client.workspaces().list();
      }
      if (json) {
        terminal().json(all.stream().map(WorkspaceInfo::json).toList());
        return ExitCode.OK;
      }
      if (all.isEmpty()) {
        terminal().err().println("No workspaces. Next: forkd workspace create NAME --tag TAG");
        return ExitCode.OK;
      }
      Instant now = Instant.now();
      Table table = new Table("NAME", "STATUS", "SANDBOX", "FROM", ">AGE", ">ACTIVE", "LABELS");
      for (WorkspaceInfo one : all) {
        table.row(
            one.name(),
            States.text(terminal(), one.status()),
            one.sandboxId().orElse("–"),
            one.sourceTag(),
            Units.age(Duration.between(one.createdAt(), now)),
            Units.age(Duration.between(one.lastActive(), now)) + " ago",
            Labels.text(one.labels()));
      }
      table.print(terminal());
      return ExitCode.OK;
    }
  }

  /** {@code forkd workspace info}. */
  @Command(name = "info", description = "Tell all about a workspace.")
  static final class Info extends ForkdCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "The workspace.")
    private String name = "";

    Info(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      requireName(name);
      WorkspaceInfo workspace;
      try (ForkdClient client = daemon()) {
        workspace = client.workspaces().get(name);
      }
      if (json) {
        terminal().json(workspace.json());
        return ExitCode.OK;
      }
      Instant now = Instant.now();
      Table table = new Table("WORKSPACE", "");
      table.row("name", workspace.name()).row("id", workspace.id());
      table.row("status", States.text(terminal(), workspace.status()));
      table.row("sandbox", workspace.sandboxId().orElse("–"));
      table.row("from", workspace.sourceTag());
      table.row("state kept in", workspace.stateTag().orElse("–"));
      table.row("age", Units.age(Duration.between(workspace.createdAt(), now)));
      table.row("active", Units.age(Duration.between(workspace.lastActive(), now)) + " ago");
      table.row("labels", Labels.text(workspace.labels()));
      table.print(terminal());
      return ExitCode.OK;
    }
  }

  /** What is done to workspaces by name. */
  abstract static class Many extends ForkdCommand {
    @Parameters(arity = "1..*", paramLabel = "NAME", description = "The workspaces.")
    private List<String> names = new ArrayList<>();

    Many(Context context) {
      super(context);
    }

    abstract void move(ForkdClient client, String name);

    final int moveEach(String done) {
      names.forEach(WorkspaceCommand::requireName);
      try (ForkdClient client = daemon()) {
        return Each.of(terminal(), json, done, names, name -> move(client, name));
      }
    }
  }

  /** {@code forkd workspace suspend}. */
  @Command(name = "suspend", description = "Keep the state of workspaces and end their sandboxes.")
  static final class Suspend extends Many {
    Suspend(Context context) {
      super(context);
    }

    @Override
    void move(ForkdClient client, String name) {
      client.workspaces().suspend(name);
    }

    @Override
    public Integer call() {
      return moveEach("suspended");
    }
  }

  /** {@code forkd workspace resume}. */
  @Command(name = "resume", description = "Start workspaces from their last state.")
  static final class Resume extends Many {
    Resume(Context context) {
      super(context);
    }

    @Override
    void move(ForkdClient client, String name) {
      client.workspaces().resume(name);
    }

    @Override
    public Integer call() {
      return moveEach("resumed");
    }
  }

  /** {@code forkd workspace rm}. */
  @Command(name = "rm", description = "End workspaces and remove their state.")
  static final class Remove extends Many {
    Remove(Context context) {
      super(context);
    }

    @Override
    void move(ForkdClient client, String name) {
      client.workspaces().delete(name);
    }

    @Override
    public Integer call() {
      return moveEach("removed");
    }
  }
}
