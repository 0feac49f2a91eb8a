package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * A complete answer.
 *
 * @param headers names in lower case
 * @param body empty when its lines were already delivered
 */
record Reply(int status, Map<String, String> headers, byte[] body) {
  /** The most a daemon's answer may weigh. */
  static final int LARGEST_BODY = 256 << 20;

  String text() {
    return new String(body, UTF_8);
  }

  Optional<String> header(String name) {
    return Optional.ofNullable(headers.get(name.toLowerCase(Locale.ROOT)));
  }

  static boolean isLines(int status, Map<String, String> headers) {
    String type = headers.getOrDefault("content-type", "");
    return status / 100 == 2 && (type.startsWith(Call.NDJSON) || type.startsWith(Call.EVENTS));
  }
}
