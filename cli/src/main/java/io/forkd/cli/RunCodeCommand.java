package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.base.SandboxId;
import io.forkd.client.CodeEvent;
import io.forkd.client.CodeRequest;
import io.forkd.client.Feed;
import io.forkd.client.ForkdClient;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd run-code}: runs code in a context and shows what comes of it as it comes. */
@Command(
    name = "run-code",
    customSynopsis = "forkd run-code [OPTIONS] ID [--] CODE|-",
    description = "Run code in a context of a sandbox: text as it comes, results, pictures.")
final class RunCodeCommand extends ForkdCommand {
  @Option(
      names = "--context",
      paramLabel = "C",
      description = "Where; default the one that every child of the snapshot has.")
  private Optional<String> codeContext = Optional.empty();

  @Option(names = "--language", paramLabel = "L", description = "python, javascript or java.")
  private Optional<String> language = Optional.empty();

  @Option(names = "--timeout", paramLabel = "S", description = "Interrupt it after so long.")
  private Optional<Integer> timeoutSecs = Optional.empty();

  @Option(
      names = {"-e", "--env"},
      paramLabel = "NAME=VALUE",
      description = "A variable while it runs; may be repeated.")
  private List<String> env = new ArrayList<>();

  @Option(names = "--save-dir", paramLabel = "DIR", description = "Where pictures go.")
  private Optional<Path> saveDir = Optional.empty();

  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "CODE",
      description = "The code, or - to read it from standard input.")
  private List<String> words = new ArrayList<>();

  RunCodeCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() {
    SandboxId.of(id);
    if (codeContext.isPresent() && language.isPresent()) {
      throw CliException.usage("--context and --language exclude each other: a context has one.");
    }
    if (timeoutSecs.orElse(1) < 1) {
      throw CliException.usage("--timeout is %d: use 1 or more.".formatted(timeoutSecs.get()));
    }
    CodeRequest request =
        new CodeRequest(
            code(),
            codeContext,
            language,
            Pairs.parse("-e", env),
            timeoutSecs.map(Duration::ofSeconds));
    try (ForkdClient client = daemon();
        Feed<CodeEvent> feed = client.contexts(id).execute(request)) {
      CodeView view = new CodeView(terminal(), json, saveDir);
      feed.forEach(view::show);
      return view.failed() ? ExitCode.FAILED : ExitCode.OK;
    }
  }

  private String code() {
    if (!words.equals(List.of("-"))) {
      return String.join(" ", words);
    }
    try {
      return new String(terminal().in().readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new CliException(ExitCode.FAILED, "Cannot read standard input: " + e.getMessage(), e);
    }
  }
}
