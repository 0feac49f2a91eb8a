package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.toml.TomlMapper;

/** Reads the text of one recipe file, refusing what it does not know. */
final class RecipeReader {
  private static final Set<String> KEYS =
      Set.of(
          "description",
          "packages",
          "suite",
          "runtime",
          "warmup",
          "rehearsal",
          "commands",
          "memory_mib",
          "vcpus",
          "env");
  private static final Pattern PACKAGE = Pattern.compile("[a-z0-9][a-z0-9+.-]+");
  private static final Pattern WORD = Pattern.compile("[a-z0-9][a-z0-9-]{0,30}");
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
  private static final int MOST_PACKAGES = 1000;

  private final String where;
  private final JsonNode root;

  RecipeReader(String where, String toml) {
    this.where = where;
    try {
      root = new TomlMapper().readTree(toml);
    } catch (JacksonException e) {
      throw ForkdException.badRequest(
          "The recipe %s is not TOML: %s", where, e.getOriginalMessage());
    }
  }

  Recipe read(String name, String digest) {
    Set<String> unknown = new TreeSet<>(root.propertyNames());
    unknown.removeAll(KEYS);
    if (!unknown.isEmpty()) {
      throw bad(
          "has the unknown key '%s'; known are: %s"
              .formatted(
                  Printable.shorten(unknown.iterator().next()),
                  String.join(", ", new TreeSet<>(KEYS))));
    }
    Optional<String> runtime = matching("runtime", WORD);
    Optional<String> warmup = text("warmup");
    Optional<String> rehearsal = text("rehearsal");
    if ((warmup.isPresent() || rehearsal.isPresent()) && runtime.isEmpty()) {
      throw bad(
          "has 'warmup' or 'rehearsal' code but no 'runtime' to run it; use 'commands' or name a"
              + " runtime");
    }
    return new Recipe(
        name,
        text("description").orElse(name),
        packages(),
        matching("suite", WORD),
        runtime,
        warmup,
        rehearsal,
        commands(),
        number("memory_mib", 128, 1 << 20),
        number("vcpus", 1, 64),
        env(),
        digest);
  }

  private List<String> packages() {
    List<String> packages = texts("packages", root.get("packages"));
    if (packages.size() > MOST_PACKAGES) {
      throw bad("names more than %d packages".formatted(MOST_PACKAGES));
    }
    for (String name : packages) {
      if (!PACKAGE.matcher(name).matches()) {
        throw bad(
            "names the package '%s', which is not a Debian package name"
                .formatted(Printable.shorten(name)));
      }
    }
    return packages;
  }

  private List<List<String>> commands() {
    JsonNode node = root.get("commands");
    List<List<String>> commands = new ArrayList<>();
    if (node != null) {
      if (!node.isArray()) {
        throw wrongType("commands", "a list of lists of strings");
      }
      for (JsonNode command : node) {
        List<String> words = texts("commands", command);
        if (words.isEmpty()) {
          throw bad("has an empty command in 'commands'");
        }
        commands.add(words);
      }
    }
    return commands;
  }

  private Map<String, String> env() {
    JsonNode node = root.get("env");
    Map<String, String> env = new LinkedHashMap<>();
    if (node != null) {
      if (!node.isObject()) {
        throw wrongType("env", "a table of strings");
      }
      for (Map.Entry<String, JsonNode> entry : node.properties()) {
        if (!VARIABLE.matcher(entry.getKey()).matches()) {
          throw bad(
              "sets '%s', which is no name of an environment variable"
                  .formatted(Printable.shorten(entry.getKey())));
        }
        env.put(entry.getKey(), string("env." + entry.getKey(), entry.getValue()));
      }
    }
    return env;
  }

  private Optional<String> matching(String key, Pattern pattern) {
    Optional<String> value = text(key);
    if (value.isPresent() && !pattern.matcher(value.get()).matches()) {
      throw bad("has the invalid %s '%s'".formatted(key, Printable.shorten(value.get())));
    }
    return value;
  }

  private Optional<String> text(String key) {
    return Optional.ofNullable(root.get(key)).map(node -> string(key, node));
  }

  private Optional<Integer> number(String key, int least, int most) {
    JsonNode node = root.get(key);
    if (node == null) {
      return Optional.empty();
    }
    if (!node.isIntegralNumber()) {
      throw wrongType(key, "a whole number");
    }
    if (!node.canConvertToInt() || node.intValue() < least || node.intValue() > most) {
      throw bad("has '%s' = %s; it must be %d to %d".formatted(key, node, least, most));
    }
    return Optional.of(node.intValue());
  }

  private List<String> texts(String key, @Nullable JsonNode node) {
    List<String> texts = new ArrayList<>();
    if (node != null) {
      if (!node.isArray()) {
        throw wrongType(
            key, key.equals("commands") ? "a list of lists of strings" : "a list of strings");
      }
      node.forEach(element -> texts.add(string(key, element)));
    }
    return texts;
  }

  private String string(String key, JsonNode node) {
    if (!node.isString()) {
      throw wrongType(key, "text");
    }
    String value = node.stringValue();
    if (value.indexOf('\0') >= 0) {
      throw bad("has a NUL character in '%s'".formatted(key));
    }
    return value;
  }

  private ForkdException wrongType(String key, String expected) {
    return bad("has '%s' of the wrong type; it must be %s".formatted(key, expected));
  }

  private ForkdException bad(String what) {
    return ForkdException.badRequest("The recipe %s %s.", where, what);
  }
}
