package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import io.forkd.client.SandboxFiles;
import java.io.IOException;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd cp}: copies files and folders into a sandbox or out of it. */
@Command(
    name = "cp",
    description = "Copy a file or folder into a sandbox or out of it: one side is ID:/path.")
final class CpCommand extends ForkdCommand {
  @Option(names = "--user", paramLabel = "U", description = "Who owns it there; default root.")
  private Optional<String> user = Optional.empty();

  @Parameters(index = "0", paramLabel = "SRC", description = "A path, ID:/path, or - for input.")
  private String from = "";

  @Parameters(index = "1", paramLabel = "DST", description = "A path, ID:/path, or - for output.")
  private String to = "";

  CpCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    CopyPlace source = CopyPlace.parse(from);
    CopyPlace target = CopyPlace.parse(to);
    if (source instanceof CopyPlace.Guest == target instanceof CopyPlace.Guest) {
      throw CliException.usage(
          "One side must be in a sandbox and the other not. Next: `forkd cp FILE ID:/path`, or"
              + " `forkd cp ID:/path FILE`.");
    }
    if (json && target instanceof CopyPlace.Stream) {
      throw CliException.usage("--json and - exclude each other: both would write to the output.");
    }
    try (ForkdClient client = daemon()) {
      return report(
          source instanceof CopyPlace.Guest guest
              ? new CopyOut(terminal(), files(client, guest)).copy(guest, target)
              : new CopyIn(terminal(), files(client, (CopyPlace.Guest) target))
                  .copy(source, (CopyPlace.Guest) target));
    } catch (IOException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot copy %s to %s (%s). Next: look whether both can be read and written."
              .formatted(Visible.name(from), Visible.name(to), Visible.name(reason(e))),
          e);
    }
  }

  private SandboxFiles files(ForkdClient client, CopyPlace.Guest place) {
    SandboxFiles files = client.files(place.id());
    return user.map(files::as).orElse(files);
  }

  private static String reason(IOException e) {
    return e.getClass() == IOException.class ? String.valueOf(e.getMessage()) : e.toString();
  }

  private int report(Copied copied) {
    if (json) {
      terminal()
          .json(
              JsonObject.ofPairs(
                  "to",
                  copied.to(),
                  "bytes",
                  copied.bytes(),
                  "seconds",
                  copied.seconds(),
                  "skipped",
                  copied.skipped()));
    }
    copied
        .skipped()
        .forEach(
            name ->
                terminal()
                    .err()
                    .println(
                        "forkd: left out %s: no file, folder or link"
                            .formatted(Visible.name(name))));
    return ExitCode.OK;
  }
}
