package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.CodeEvent;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Shows what code does: text as it comes, results as text, pictures as files. */
final class CodeView {
  /** What a person cannot read on a screen, and whether it travels in base64. */
  private static final Map<String, Boolean> PICTURES =
      Map.of("png", true, "jpeg", true, "pdf", true, "svg", false);

  private static final List<String> READABLE =
      List.of("text", "markdown", "latex", "json", "html", "javascript");

  private final Terminal terminal;
  private final boolean json;
  private final Optional<Path> folder;
  private long count;
  private int saved;
  private boolean failed;

  CodeView(Terminal terminal, boolean json, Optional<Path> folder) {
    this.terminal = terminal;
    this.json = json;
    this.folder = folder;
  }

  boolean failed() {
    return failed;
  }

  void show(CodeEvent event) {
    failed |= event instanceof CodeEvent.Failure;
    if (event instanceof CodeEvent.Result result) {
      save(result);
    }
    if (json) {
      terminal.json(event.json());
      return;
    }
    switch (event) {
      case CodeEvent.Began began -> count = began.count();
      case CodeEvent.Text text -> {
        (text.error() ? terminal.err() : terminal.out()).print(text.text());
        terminal.out().flush();
      }
      case CodeEvent.Result result ->
          readable(result).ifPresent(text -> terminal.out().println(text));
      case CodeEvent.Failure failure ->
          terminal
              .err()
              .println(
                  failure.traceback().isEmpty()
                      ? failure.name() + ": " + failure.value()
                      : failure.traceback().stripTrailing());
      case CodeEvent.Ended _ -> terminal.out().flush();
    }
  }

  private static Optional<String> readable(CodeEvent.Result result) {
    return READABLE.stream()
        .filter(result.formats()::containsKey)
        .findFirst()
        .map(format -> result.formats().getOrDefault(format, ""));
  }

  private void save(CodeEvent.Result result) {
    PICTURES.forEach(
        (format, encoded) -> {
          String picture = result.formats().getOrDefault(format, "");
          if (!picture.isEmpty() && folder.isPresent()) {
            save(folder.get(), format, bytes(picture, encoded));
          } else if (!picture.isEmpty()) {
            terminal
                .err()
                .println("forkd: a %s was drawn. Next: --save-dir DIR.".formatted(format));
          }
        });
  }

  private static byte[] bytes(String picture, boolean encoded) {
    return encoded ? Base64.getMimeDecoder().decode(picture) : picture.getBytes(UTF_8);
  }

  private void save(Path where, String format, byte[] bytes) {
    saved++;
    Path file = where.resolve("result-%d-%d.%s".formatted(count, saved, format));
    try {
      Files.createDirectories(where);
      Files.write(file, bytes);
      terminal.err().println("Saved " + file);
    } catch (IOException e) {
      throw new CliException(
          ExitCode.FAILED,
          "Cannot save %s (%s). Next: name another folder with --save-dir.".formatted(file, e),
          e);
    }
  }
}
