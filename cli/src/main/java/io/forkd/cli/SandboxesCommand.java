package io.forkd.cli;

import io.forkd.client.ForkdClient;
import java.util.List;
import java.util.function.BiConsumer;
import picocli.CommandLine.Mixin;

/** A command that does the same to several sandboxes. */
abstract class SandboxesCommand extends ForkdCommand {
  @Mixin private SandboxChoice choice = new SandboxChoice();

  SandboxesCommand(Context context) {
    super(context);
  }

  /**
   * Does it to all that are chosen and reports it.
   *
   * @param verb what is done, as in: nothing to pause
   * @param done what to call those it worked for
   */
  final int each(String verb, String done, BiConsumer<ForkdClient, String> action) {
    choice.requireSense();
    try (ForkdClient client = daemon()) {
      List<String> chosen = choice.find(client);
      if (chosen.isEmpty() && !json) {
        terminal().err().println("Nothing to %s: there is no such sandbox.".formatted(verb));
      }
      return Each.of(terminal(), json, done, chosen, id -> action.accept(client, id));
    }
  }
}
