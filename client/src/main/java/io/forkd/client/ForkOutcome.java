package io.forkd.client;

import java.util.List;

/** The children of a fork that live, and why the others do not. */
public record ForkOutcome(List<SandboxInfo> sandboxes, List<Failure> failures) {
  public ForkOutcome {
    sandboxes = List.copyOf(sandboxes);
    failures = List.copyOf(failures);
  }

  /**
   * A child that could not be made.
   *
   * @param index the child's place in the request, from 0
   */
  public record Failure(int index, String error) {
    static Failure from(JsonObject json) {
      return new Failure(json.integer("index"), json.text("error"));
    }
  }
}
