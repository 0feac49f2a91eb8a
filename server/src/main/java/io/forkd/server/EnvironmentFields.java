package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.Map;

/** Environment variables in requests, checked. */
final class EnvironmentFields {
  static final Schema SCHEMA = Schema.mapOf(Schema.text());

  private EnvironmentFields() {}

  /** Those in the field {@code env}; none when it is absent. */
  static Map<String, String> read(Fields fields) {
    return checked(fields.pairs("env").orElse(Map.of()));
  }

  /** Refuses what no process can have; a value is never told, because it may be a secret. */
  static Map<String, String> checked(Map<String, String> variables) {
    variables.forEach(
        (name, value) -> {
          if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
            throw ForkdException.badRequest(
                "'%s' cannot be the name of a variable: leave out = and NUL, and do not leave it"
                    + " empty.",
                Printable.shorten(name));
          }
          if (value.indexOf('\0') >= 0) {
            throw ForkdException.badRequest(
                "The value of %s contains a NUL character: leave it out.", Printable.shorten(name));
          }
        });
    return variables;
  }
}
