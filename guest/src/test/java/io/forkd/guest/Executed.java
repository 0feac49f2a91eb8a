package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** All that an execution did, for tests to look at. */
record Executed(List<CodeEvent> events) {
  static CodeRequest code(String context, String code) {
    return new CodeRequest(code, Optional.of(context), Optional.empty(), Map.of());
  }

  static Executed run(Agent agent, String context, String code) {
    return run(agent, code(context, code));
  }

  static Executed run(Agent agent, CodeRequest request) {
    try (Execution execution = agent.interpreter().execute(request)) {
      return drain(execution);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static Executed drain(Execution execution) throws InterruptedException {
    List<CodeEvent> events = new ArrayList<>();
    while (true) {
      CodeEvent event = next(execution);
      if (event instanceof CodeEvent.Finished) {
        return new Executed(events);
      }
      events.add(event);
    }
  }

  static CodeEvent next(Execution execution) throws InterruptedException {
    Optional<CodeEvent> event = execution.next(PATIENCE);
    assertThat(event).as("an event in time").isPresent();
    return event.orElseThrow();
  }

  private <T extends CodeEvent> List<T> all(Class<T> type) {
    return events.stream().filter(type::isInstance).map(type::cast).toList();
  }

  String stdout() {
    return all(CodeEvent.Stdout.class).stream()
        .map(CodeEvent.Stdout::text)
        .collect(Collectors.joining());
  }

  String stderr() {
    return all(CodeEvent.Stderr.class).stream()
        .map(CodeEvent.Stderr::text)
        .collect(Collectors.joining());
  }

  int count() {
    return all(CodeEvent.Began.class).getFirst().count();
  }

  List<CodeEvent.Result> results() {
    return all(CodeEvent.Result.class);
  }

  /** The value of the last expression as text. */
  Optional<String> value() {
    return results().stream()
        .filter(CodeEvent.Result::main)
        .map(result -> result.formats().getOrDefault("text", ""))
        .findFirst();
  }

  Map<String, String> formats() {
    return results().getFirst().formats();
  }

  CodeEvent.Failed failure() {
    assertThat(all(CodeEvent.Failed.class)).hasSize(1);
    return all(CodeEvent.Failed.class).getFirst();
  }

  boolean failed() {
    return !all(CodeEvent.Failed.class).isEmpty();
  }
}
