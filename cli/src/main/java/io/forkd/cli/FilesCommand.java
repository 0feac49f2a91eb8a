package io.forkd.cli;

import io.forkd.client.FileInfo;
import io.forkd.client.FileWrite;
import io.forkd.client.SandboxFiles;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd files}: the files of a sandbox. */
@Command(
    name = "files",
    description =
        "Files of a sandbox: ls, stat, cat, write, mkdir, mv, rm, chmod, chown, watch; see also"
            + " cp.")
final class FilesCommand extends GroupCommand {
  FilesCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(
        new Commands.Entry("ls", Ls::new),
        new Commands.Entry("stat", Stat::new),
        new Commands.Entry("cat", Cat::new),
        new Commands.Entry("write", Write::new),
        new Commands.Entry("mkdir", FileChangeCommands.Mkdir::new),
        new Commands.Entry("mv", FileChangeCommands.Mv::new),
        new Commands.Entry("rm", FileChangeCommands.Rm::new),
        new Commands.Entry("chmod", FileChangeCommands.Chmod::new),
        new Commands.Entry("chown", FileChangeCommands.Chown::new),
        new Commands.Entry("watch", FileWatchCommand::new));
  }

  private static Table table() {
    return new Table("MODE", "OWNER", "GROUP", ">SIZE", "MODIFIED", "PATH");
  }

  private static void row(Table table, FileInfo file) {
    String name = file.path() + file.target().map(target -> " → " + target).orElse("");
    table.row(
        letter(file) + file.mode(),
        Visible.name(file.owner()),
        Visible.name(file.group()),
        file.size(),
        file.modified(),
        Visible.name(name));
  }

  private static String letter(FileInfo file) {
    return switch (file.type()) {
      case "folder" -> "d";
      case "symlink" -> "l";
      case "file" -> "-";
      default -> "?";
    };
  }

  /** {@code forkd files ls}. */
  @Command(name = "ls", description = "List a folder.")
  static final class Ls extends FileCommand {
    @Option(names = "--depth", paramLabel = "N", description = "How many levels; default 1.")
    private int depth = 1;

    @Parameters(index = "1", arity = "0..1", paramLabel = "PATH", description = "Default: home.")
    private String path = "~";

    Ls(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      if (depth < 1) {
        throw CliException.usage("--depth is %d: use 1 or more.".formatted(depth));
      }
      List<FileInfo> found = files.list(path, depth);
      if (json) {
        terminal().json(found.stream().map(FileInfo::json).toList());
      } else if (!found.isEmpty()) {
        Table table = table();
        found.forEach(file -> row(table, file));
        table.print(terminal());
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd files stat}. */
  @Command(name = "stat", description = "Tell what is at a path.")
  static final class Stat extends FileCommand {
    @Parameters(index = "1", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Stat(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      FileInfo file = files.stat(path);
      if (!json) {
        Table table = table();
        row(table, file);
        table.print(terminal());
      }
      return done(file);
    }
  }

  /** {@code forkd files cat}. */
  @Command(name = "cat", description = "Print a file, or a part of it.")
  static final class Cat extends FileCommand {
    @Option(names = "--offset", paramLabel = "BYTES", description = "Where to begin; default 0.")
    private long offset;

    @Option(names = "--length", paramLabel = "BYTES", description = "How much; default all.")
    private Optional<Long> length = Optional.empty();

    @Parameters(index = "1", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Cat(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      if (offset < 0 || length.orElse(0L) < 0) {
        throw CliException.usage("--offset and --length begin at 0.");
      }
      files.read(
          path,
          offset,
          length.map(OptionalLong::of).orElse(OptionalLong.empty()),
          new StrictOutput(terminal().out()));
      return ExitCode.OK;
    }
  }

  /** {@code forkd files write}. */
  @Command(name = "write", description = "Write standard input to a file.")
  static final class Write extends FileCommand {
    @Option(names = "--append", description = "What is there stays.")
    private boolean append;

    @Option(names = "--mode", paramLabel = "MODE", description = "Such as 0600.")
    private Optional<String> mode = Optional.empty();

    @Parameters(index = "1", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Write(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      return done(
          files.write(path, terminal().in(), new FileWrite(append, mode, OptionalLong.empty())));
    }
  }
}
