package io.forkd.client;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Code to run in a context.
 *
 * @param context its id; empty means the default one of the language
 * @param language empty means the sandbox's first
 * @param env variables it has beside those of the sandbox
 * @param timeout after which it is interrupted
 */
public record CodeRequest(
    String code,
    Optional<String> context,
    Optional<String> language,
    Map<String, String> env,
    Optional<Duration> timeout) {
  public CodeRequest {
    env = Map.copyOf(env);
  }

  /** Code for the default context. */
  public static CodeRequest of(String code) {
    return new CodeRequest(code, Optional.empty(), Optional.empty(), Map.of(), Optional.empty());
  }

  JsonObject toJson() {
    return JsonObject.ofPairs("code", code)
        .with("context", context)
        .with("language", language)
        .with("env", Optional.of(env).filter(pairs -> !pairs.isEmpty()))
        .with("timeout_secs", timeout.map(Duration::toSeconds));
  }
}
