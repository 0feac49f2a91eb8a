package io.forkd.cli;

import io.forkd.client.FileAttributes;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxFiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands of {@code forkd files} that change something. */
final class FileChangeCommands {
  private FileChangeCommands() {}

  /** {@code forkd files mkdir}. */
  @Command(name = "mkdir", description = "Make a folder and those above it.")
  static final class Mkdir extends FileCommand {
    @Parameters(index = "1", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Mkdir(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      return done(files.makeFolder(path));
    }
  }

  /** {@code forkd files mv}. */
  @Command(name = "mv", description = "Move or rename a file or folder within the sandbox.")
  static final class Mv extends FileCommand {
    @Parameters(index = "1", paramLabel = "FROM", description = "In the sandbox.")
    private String from = "";

    @Parameters(index = "2", paramLabel = "TO", description = "Its path then.")
    private String to = "";

    Mv(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      return done(files.move(from, to));
    }
  }

  /** {@code forkd files rm}. */
  @Command(name = "rm", description = "Remove files, and folders with all in them.")
  static final class Rm extends FileCommand {
    @Parameters(index = "1..*", arity = "1..*", paramLabel = "PATH", description = "What goes.")
    private List<String> paths = new ArrayList<>();

    Rm(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      paths.forEach(files::remove);
      if (json) {
        terminal().json(JsonObject.ofPairs("removed", paths));
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd files chmod}. */
  @Command(name = "chmod", description = "Change the mode of a file.")
  static final class Chmod extends FileCommand {
    @Option(
        names = {"-R", "--recursive"},
        description = "And of all below it.")
    private boolean recursive;

    @Parameters(index = "1", paramLabel = "MODE", description = "Such as 0755.")
    private String mode = "";

    @Parameters(index = "2", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Chmod(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      if (!mode.matches("[0-7]{3,4}")) {
        throw CliException.usage("The mode is '%s': write 0755.".formatted(Visible.name(mode)));
      }
      return done(
          files.setAttributes(
              path,
              new FileAttributes(
                  Optional.of(mode), Optional.empty(), Optional.empty(), recursive)));
    }
  }

  /** {@code forkd files chown}. */
  @Command(name = "chown", description = "Change whose a file is.")
  static final class Chown extends FileCommand {
    @Option(
        names = {"-R", "--recursive"},
        description = "And all below it.")
    private boolean recursive;

    @Parameters(index = "1", paramLabel = "OWNER[:GROUP]", description = "Names in the sandbox.")
    private String whose = "";

    @Parameters(index = "2", paramLabel = "PATH", description = "In the sandbox.")
    private String path = "";

    Chown(Context context) {
      super(context);
    }

    @Override
    int work(SandboxFiles files) {
      int colon = whose.indexOf(':');
      Optional<String> owner = named(colon < 0 ? whose : whose.substring(0, colon));
      Optional<String> group = colon < 0 ? Optional.empty() : named(whose.substring(colon + 1));
      if (owner.isEmpty() && group.isEmpty()) {
        throw CliException.usage("Say whose it is to be: OWNER, OWNER:GROUP or :GROUP.");
      }
      return done(
          files.setAttributes(path, new FileAttributes(Optional.empty(), owner, group, recursive)));
    }

    private static Optional<String> named(String name) {
      return Optional.of(name).filter(word -> !word.isEmpty());
    }
  }
}
