package io.forkd.core;

import java.util.List;

/** The children of a request that live, and why the others do not. */
public record ForkResult(List<Sandbox> sandboxes, List<Failure> failures) {
  public ForkResult {
    sandboxes = List.copyOf(sandboxes);
    failures = List.copyOf(failures);
  }

  /**
   * A child that could not be made.
   *
   * @param index the child's place in the request, from 0
   */
  public record Failure(int index, String error) {}
}
