package io.forkd.server.http;

import java.util.Locale;

/** One header as it is on the wire; several may have the same name. */
public record Header(String name, String value) {
  /** The name as it is compared. */
  public String key() {
    return name.toLowerCase(Locale.ROOT);
  }
}
