package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.FileInfo;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxFiles;
import java.util.Optional;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command about the files of a sandbox. */
abstract class FileCommand extends ForkdCommand {
  @Option(
      names = "--user",
      paramLabel = "U",
      description = "Whose home paths begin at and who owns what is made; default root.")
  private Optional<String> user = Optional.empty();

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  FileCommand(Context context) {
    super(context);
  }

  abstract int work(SandboxFiles files);

  @Override
  public final Integer call() {
    SandboxId.of(id);
    try (ForkdClient client = daemon()) {
      SandboxFiles files = client.files(id);
      return work(user.map(files::as).orElse(files));
    }
  }

  /** Tells what was made or changed; people see that by the silence. */
  final int done(FileInfo file) {
    if (json) {
      terminal().json(file.json());
    }
    return ExitCode.OK;
  }
}
