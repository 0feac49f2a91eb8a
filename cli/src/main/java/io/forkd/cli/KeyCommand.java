package io.forkd.cli;

import io.forkd.client.ForkdClient;
import io.forkd.client.KeyInfo;
import io.forkd.client.KeyRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd key}: who may use the daemon over TCP. */
@Command(name = "key", description = "Keys for the daemon's API: create, ls, revoke.")
final class KeyCommand extends GroupCommand {
  KeyCommand(Context context) {
    super(context);
  }

  @Override
  List<Commands.Entry> entries() {
    return List.of(
        new Commands.Entry("create", Create::new),
        new Commands.Entry("ls", Ls::new),
        new Commands.Entry("revoke", Revoke::new, "rm"));
  }

  /** {@code forkd key create}. */
  @Command(name = "create", description = "Make a key and print it, this once.")
  static final class Create extends ForkdCommand {
    @Parameters(index = "0", paramLabel = "NAME", description = "What the key is called.")
    private String name = "";

    @Option(
        names = "--role",
        paramLabel = "ROLE",
        description = "read-only, user (default), operator or admin.")
    private String role = "user";

    @Option(
        names = "--owner",
        paramLabel = "OWNER",
        description = "Whose things it works with; a user's key has its name as owner.")
    private Optional<String> owner = Optional.empty();

    @Option(
        names = "--expires",
        paramLabel = "TIME",
        converter = DurationConverter.class,
        description = "After 90s, 15m, 2h or 7d it opens nothing any more.")
    private Optional<Duration> life = Optional.empty();

    Create(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      try (ForkdClient client = daemon()) {
        KeyInfo key =
            client.keys().create(new KeyRequest(name, role.replace('-', '_'), owner, life));
        if (json) {
          terminal().json(key.json());
          return ExitCode.OK;
        }
        // The key alone goes to standard output, so that a script can take it from there.
        terminal().out().println(key.secret().orElse(""));
        terminal()
            .err()
            .println(
                "Key %s has the role %s%s. It is not shown again: set FORKD_TOKEN to it."
                    .formatted(
                        key.name(),
                        key.role(),
                        key.owner().map(whose -> " for what is %s's".formatted(whose)).orElse("")));
        key.e2bSecret().ifPresent(e2b -> terminal().err().println("As an E2B key: " + e2b));
      }
      return ExitCode.OK;
    }
  }

  /** {@code forkd key ls}. */
  @Command(name = "ls", description = "List the keys, without their secrets.")
  static final class Ls extends ForkdCommand {
    Ls(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      try (ForkdClient client = daemon()) {
        List<KeyInfo> keys = client.keys().list();
        if (json) {
          terminal().json(keys.stream().map(KeyInfo::json).toList());
        } else if (keys.isEmpty()) {
          terminal().err().println("No keys. Next: forkd key create NAME");
        } else {
          Table table = new Table("ID", "NAME", "ROLE", "OWNER", "LAST USED", "EXPIRES");
          keys.forEach(
              key ->
                  table.row(
                      key.id(),
                      key.name(),
                      key.role(),
                      key.owner().orElse("–"),
                      moment(key.lastUsed()),
                      moment(key.expiresAt())));
          table.print(terminal());
        }
      }
      return ExitCode.OK;
    }

    private static String moment(Optional<Instant> moment) {
      return moment.map(Instant::toString).orElse("–");
    }
  }

  /** {@code forkd key revoke}. */
  @Command(name = "revoke", description = "Take keys back, from their next request on.")
  static final class Revoke extends ForkdCommand {
    @Parameters(arity = "1..*", paramLabel = "KEY", description = "Ids or names of keys.")
    private List<String> wanted = List.of();

    Revoke(Context context) {
      super(context);
    }

    @Override
    public Integer call() {
      try (ForkdClient client = daemon()) {
        List<KeyInfo> keys = client.keys().list();
        List<KeyInfo> found = wanted.stream().map(word -> find(keys, word)).toList();
        found.forEach(key -> client.keys().revoke(key.id()));
        if (json) {
          terminal().json(found.stream().map(KeyInfo::json).toList());
        } else {
          found.forEach(key -> terminal().out().println("Revoked " + key.name()));
        }
      }
      return ExitCode.OK;
    }

    private static KeyInfo find(List<KeyInfo> keys, String word) {
      return keys.stream()
          .filter(key -> key.id().equals(word))
          .findFirst()
          .or(() -> keys.stream().filter(key -> key.name().equals(word)).findFirst())
          .orElseThrow(
              () ->
                  CliException.failed(
                      "No key has the id or name '%s'. Next: forkd key ls".formatted(word)));
    }
  }
}
