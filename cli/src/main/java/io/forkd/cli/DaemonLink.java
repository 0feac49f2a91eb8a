package io.forkd.cli;

import io.forkd.client.Endpoint;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Finds the daemon a command talks to, and starts the private one when there is none. */
final class DaemonLink {
  private static final Duration ANSWER = Duration.ofSeconds(5);

  /** Longer than a daemon takes to restart, which lets requests under way finish. */
  private static final Duration RESTART = Duration.ofSeconds(15);

  /** A foreign daemon may restart too, but more often its address is wrong. */
  private static final Duration FOREIGN_RESTART = Duration.ofSeconds(5);

  private final Context context;

  DaemonLink(Context context) {
    this.context = context;
  }

  /** Whether the daemon is one the user named and thus not ours to start. */
  boolean foreign() {
    return context.variable("FORKD_URL").isPresent();
  }

  Endpoint endpoint() {
    return context
        .variable("FORKD_URL")
        .map(url -> Endpoint.parse(url, token(), caFile()))
        .orElseGet(() -> new Endpoint.Unix(context.locations().socket(), token()));
  }

  /** A client that does not wait for a daemon that is not there. */
  ForkdClient client() {
    return ForkdClient.connect(endpoint());
  }

  /** A client to which a restart of the daemon is a short silence. */
  private ForkdClient patientClient() {
    return ForkdClient.patient(endpoint(), foreign() ? FOREIGN_RESTART : RESTART);
  }

  /** A client whose daemon answers, or empty. */
  Optional<ForkdClient> running() {
    if (!foreign() && !Files.exists(context.locations().socket())) {
      return Optional.empty();
    }
    ForkdClient client = client();
    if (client.healthy(ANSWER)) {
      return Optional.of(client);
    }
    client.close();
    return Optional.empty();
  }

  ForkdClient require() {
    if (!foreign()) {
      Optional<ForkdClient> running = running();
      running.ifPresent(ForkdClient::close);
      if (running.isEmpty()) {
        try (Steps steps = new Steps(context.terminal())) {
          new DaemonStarter(context).start(List.of(), steps);
        }
      }
    }
    return patientClient();
  }

  private Optional<Path> caFile() {
    return context.variable("FORKD_CA_FILE").map(Path::of);
  }

  private Optional<String> token() {
    return context
        .variable("FORKD_TOKEN")
        .or(() -> context.variable("FORKD_TOKEN_FILE").map(DaemonLink::read));
  }

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file)).strip();
    } catch (IOException e) {
      throw new ForkdClientException(
          400, "Cannot read FORKD_TOKEN_FILE %s (%s). Next: check the path.".formatted(file, e), e);
    }
  }
}
