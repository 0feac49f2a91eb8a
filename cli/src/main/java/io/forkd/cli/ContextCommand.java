package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.ContextInfo;
import io.forkd.client.Contexts;
import io.forkd.client.ForkdClient;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd context}: where code runs in a sandbox and keeps its state. */
@Command(
    name = "context",
    description = "Where run-code keeps its state: ls, create, restart, interrupt, rm.")
final class ContextCommand extends GroupCommand {
  ContextCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(
        new Commands.Entry("ls", Ls::new),
        new Commands.Entry("create", Create::new),
        new Commands.Entry("restart", Restart::new),
        new Commands.Entry("interrupt", Interrupt::new),
        new Commands.Entry("rm", Rm::new));
  }

  /** {@code forkd context ls}. */
  @Command(name = "ls", description = "List the contexts of a sandbox.")
  static final class Ls extends ForkdCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    Ls(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      SandboxId.of(id);
      List<ContextInfo> all;
      try (ForkdClient client = daemon()) {
        all = client.contexts(id).list();
      }
      if (json) {
        terminal().json(all.stream().map(ContextInfo::json).toList());
      } else if (all.isEmpty()) {
        terminal().err().println("No contexts. Next: forkd context create " + id);
      } else {
        Table table = new Table("CONTEXT", "LANGUAGE", "FOLDER");
        all.forEach(one -> table.row(one.id(), one.language(), Visible.name(one.cwd())));
        table.print(terminal());
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd context create}. */
  @Command(name = "create", description = "Start a context and print its name.")
  static final class Create extends ForkdCommand {
    @Option(
        names = "--language",
        paramLabel = "L",
        description = "python (default), javascript or java, as far as the image has them.")
    private String language = "python";

    @Option(names = "--cwd", paramLabel = "D", description = "Where its code runs.")
    private Optional<String> cwd = Optional.empty();

    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      SandboxId.of(id);
      try (ForkdClient client = daemon()) {
        ContextInfo made = client.contexts(id).create(language, cwd);
        if (json) {
          terminal().json(made.json());
        } else {
          terminal().out().println(made.id());
        }
      }
      return ExitCode.OK;
    }
  }

  /** Something done to contexts by their names. */
  abstract static class Naming extends ForkdCommand {
    private final String done;
    private final BiConsumer<Contexts, String> action;

    @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
    private String id = "";

    @Parameters(index = "1..*", arity = "1..*", paramLabel = "CONTEXT", description = "Which.")
    private List<String> names = new ArrayList<>();

    Naming(Context context, String done, BiConsumer<Contexts, String> action) {
      super(context);
      this.done = done;
      this.action = action;
    }

    @Override
    public final Integer call() {
      SandboxId.of(id);
      try (ForkdClient client = daemon()) {
        Contexts contexts = client.contexts(id);
        return Each.of(terminal(), json, done, names, name -> action.accept(contexts, name));
      }
    }
  }

  /** {@code forkd context restart}. */
  @Command(name = "restart", description = "Forget all that was defined in contexts.")
  static final class Restart extends Naming {
    Restart(Context context) {
      super(context, "restarted", Contexts::restart);
    }
  }

  /** {@code forkd context interrupt}. */
  @Command(name = "interrupt", description = "End what runs in contexts; their state stays.")
  static final class Interrupt extends Naming {
    Interrupt(Context context) {
      super(context, "interrupted", Contexts::interrupt);
    }
  }

  /** {@code forkd context rm}. */
  @Command(name = "rm", description = "End contexts.")
  static final class Rm extends Naming {
    Rm(Context context) {
      super(context, "removed", Contexts::delete);
    }
  }
}
