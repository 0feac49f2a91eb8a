package io.forkd.guest;

import java.util.Map;
import java.util.Optional;

/**
 * Code to run.
 *
 * @param context empty means the default one of the language
 * @param language of the default context when none is named; empty means Python
 * @param env set while the code runs
 */
public record CodeRequest(
    String code, Optional<String> context, Optional<Language> language, Map<String, String> env) {
  public CodeRequest {
    env = Map.copyOf(env);
  }
}
