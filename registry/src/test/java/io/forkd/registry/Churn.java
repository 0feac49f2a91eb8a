package io.forkd.registry;

import java.nio.file.Path;
import java.time.Instant;

/** A process that changes a registry and says each change when it is done, until it is killed. */
final class Churn {
  /** Before each line about a change; the rest is log. */
  static final String DONE = "done ";

  private Churn() {}

  public static void main(String[] args) {
    Registry registry = Registry.open(Path.of(args[0]));
    String round = args[1];
    for (int i = 0; ; i++) {
      String id = "sb-%s-%06d".formatted(round, i);
      registry.sandboxes().put(id, "RUNNING", "{\"pad\":\"%s\"}".formatted("x".repeat(1000)));
      if (i % 3 == 0) {
        registry.ordinarily(
            () -> {
              registry.ends().add(id, "{}", Instant.now());
              return registry.sandboxes().remove(id);
            });
        System.out.println(DONE + "ended " + id);
      } else if (i % 7 == 0) {
        registry.durably(
            () -> {
              registry.sandboxes().put(id, "PAUSED", "{}");
              return true;
            });
        System.out.println(DONE + "paused " + id);
      } else {
        System.out.println(DONE + "running " + id);
      }
    }
  }
}
