package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.Tag;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What an operator may choose about the clients of E2B.
 *
 * @param domain below which sandboxes have their port hosts; empty means what the client calls the
 *     daemon
 * @param templates the tags that stand for a template's name; the first that exists is taken
 */
public record E2bSettings(Optional<String> domain, Map<String, List<Tag>> templates) {
  private static final Map<String, List<Tag>> USUAL =
      Map.of(
          "base",
          List.of(Tag.of("base"), Tag.of("python-numpy")),
          "code-interpreter-v1",
          List.of(
              Tag.of("code-interpreter-v1"), Tag.of("code-interpreter"), Tag.of("python-numpy")));

  public static final E2bSettings USUALLY = new E2bSettings(Optional.empty(), USUAL);

  public E2bSettings {
    templates = Map.copyOf(templates);
  }

  /** From texts such as {@code sandboxes.example.org} and {@code base=python-numpy,big=tools}. */
  public static E2bSettings of(Optional<String> domain, Optional<String> templates) {
    Map<String, List<Tag>> all = new HashMap<>(USUAL);
    templates.ifPresent(
        text -> {
          for (String pair : text.split(",", -1)) {
            int equals = pair.indexOf('=');
            String name = equals < 0 ? "" : pair.substring(0, equals).strip();
            if (name.isEmpty()) {
              throw ForkdException.badRequest(
                  "--e2b-templates has '%s': use NAME=TAG,NAME=TAG, such as base=python-numpy.",
                  Printable.shorten(pair));
            }
            all.put(name, new ArrayList<>(List.of(Tag.of(pair.substring(equals + 1).strip()))));
          }
        });
    return new E2bSettings(domain, all);
  }
}
