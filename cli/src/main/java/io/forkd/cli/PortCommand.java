package io.forkd.cli;

import io.forkd.base.SandboxId;
import io.forkd.client.Endpoint;
import io.forkd.client.ForkdClient;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code forkd port}: makes ports of a sandbox reachable on this host until it is interrupted. */
@Command(
    name = "port",
    description = {
      "Make ports of a sandbox reachable on this host until Ctrl-C; the sandbox needs no network.",
      "Example: forkd port sb-5f0c1e2d3a-0000 8000 9001:9000"
    })
final class PortCommand extends ForkdCommand {
  @Parameters(index = "0", paramLabel = "ID", description = "The sandbox.")
  private String id = "";

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "[LOCAL:]PORT",
      description =
          "A port in the sandbox, and the one it gets here; default: the same, or a free one.")
  private List<String> ports = new ArrayList<>();

  @Option(
      names = "--listen",
      paramLabel = "ADDR[:PORT]",
      description = "Where to listen; default 127.0.0.1.")
  private Optional<String> listen = Optional.empty();

  @Option(
      names = "--public",
      description =
          "Allow an address that other hosts can reach: whoever does, reaches the sandbox.")
  private boolean open;

  PortCommand(Context context) {
    super(context);
  }

  @Override
  public Integer call() throws IOException {
    SandboxId.of(id);
    PortWishes wishes = PortWishes.of(listen, ports);
    InetAddress address = address(wishes.host());
    List<PortForward> forwards = new ArrayList<>();
    try (ForkdClient client = daemon()) {
      client.sandbox(id);
      try {
        for (PortWishes.Wish wish : wishes.wishes()) {
          forwards.add(PortForward.open(client, id, wish, address));
        }
        tell(forwards);
        PortForward.serve(forwards, terminal());
        return ExitCode.OK;
      } finally {
        forwards.forEach(PortForward::close);
      }
    }
  }

  private InetAddress address(String host) {
    InetAddress address;
    try {
      address = InetAddress.getAllByName(host)[0];
    } catch (UnknownHostException e) {
      throw CliException.usage(
          "--listen names the host '%s', which cannot be resolved: use an address."
              .formatted(Visible.name(host)));
    }
    if (!address.isLoopbackAddress()) {
      if (!open) {
        throw CliException.usage(
            "Other hosts could reach the sandbox on %s, without a token: use --public if they may."
                .formatted(address.getHostAddress()));
      }
      terminal()
          .err()
          .println(
              "forkd: whoever reaches %s reaches the sandbox; nobody is asked for a token."
                  .formatted(address.getHostAddress()));
    }
    return address;
  }

  private void tell(List<PortForward> forwards) {
    Endpoint daemon = new DaemonLink(context).endpoint();
    if (json) {
      terminal()
          .json(
              JsonObject.ofPairs(
                  "sandbox",
                  id,
                  "daemon",
                  daemon.toString(),
                  "forwards",
                  forwards.stream().map(PortForward::json).toList()));
      return;
    }
    for (PortForward forward : forwards) {
      terminal().out().println("%s → port %d of %s".formatted(forward.url(), forward.port(), id));
      if (forward.elsewhere()) {
        terminal()
            .err()
            .println(
                "forkd: port %d is in use here or not yours to take, so it is %d."
                    .formatted(forward.port(), forward.localPort()));
      }
      terminal().err().println("  also: " + proxied(daemon, forward.port()));
    }
    terminal().err().println("Ctrl-C ends it.");
  }

  private String proxied(Endpoint daemon, int port) {
    String path = ForkdClient.portPath(id, port);
    return daemon instanceof Endpoint.Unix unix
        ? "curl --unix-socket %s http://forkd%s".formatted(unix.socket(), path)
        : daemon.toString().replaceFirst("/+$", "") + path;
  }
}
