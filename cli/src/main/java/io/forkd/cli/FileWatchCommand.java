package io.forkd.cli;

import io.forkd.client.Feed;
import io.forkd.client.FileChange;
import io.forkd.client.SandboxFiles;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd files watch}. */
@Command(name = "watch", description = "Tell what happens in a folder, as it happens.")
final class FileWatchCommand extends FileCommand {
  @Option(
      names = {"-r", "--recursive"},
      description = "And in those below it.")
  private boolean recursive;

  @Option(names = "-n", paramLabel = "N", description = "End after so many; default never.")
  private Optional<Integer> most = Optional.empty();

  @Parameters(index = "1", paramLabel = "PATH", description = "A folder in the sandbox.")
  private String path = "";

  FileWatchCommand(Context context) {
    super(context);
  }

  @Override
  int work(SandboxFiles files) {
    int told = 0;
    try (Feed<FileChange> feed = files.watch(path, recursive)) {
      while (most.isEmpty() || told < most.get()) {
        Optional<FileChange> change = feed.next();
        if (change.isEmpty()) {
          throw CliException.failed(
              "The daemon stopped watching %s. Next: `forkd ls`.".formatted(Visible.name(path)));
        }
        told += change.get().begins() ? 0 : 1;
        tell(change.get());
        if (terminal().out().checkError()) {
          return ExitCode.OK;
        }
      }
    }
    return ExitCode.OK;
  }

  private void tell(FileChange change) {
    if (json) {
      terminal().json(change.json());
    } else if (change.begins()) {
      terminal().err().println("Watching %s; Ctrl-C ends it.".formatted(Visible.name(path)));
    } else {
      terminal().out().println("%-7s %s".formatted(change.type(), Visible.name(change.name())));
    }
  }
}
