package io.forkd.client;

import java.util.Optional;

/** Who a daemon takes this client for. */
public record CallerInfo(String name, String role, Optional<String> owner) {
  static CallerInfo from(JsonObject json) {
    return new CallerInfo(json.text("name"), json.text("role"), json.optionalText("owner"));
  }
}
