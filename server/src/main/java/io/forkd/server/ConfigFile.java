package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The daemon's config file: the part of TOML that options need, which is {@code key = value} lines
 * with strings, numbers and booleans, and comments. Read without data binding, which would delay
 * the start.
 */
final class ConfigFile {
  private static final Pattern LINE =
      Pattern.compile(
          "([A-Za-z0-9_-]+)\\s*=\\s*"
              + "(?:\"((?:[^\"\\\\]|\\\\[\"\\\\])*)\"|'([^']*)'|([A-Za-z0-9._+-]+))\\s*(?:#.*)?");
  private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9][0-9_]*(\\.[0-9_]+)?");

  private ConfigFile() {}

  /** What the file says of each option it names; one it does not know is refused. */
  static Map<DaemonOption, DaemonSettings.Told> read(Path file) {
    List<String> lines = lines(file);
    Map<DaemonOption, DaemonSettings.Told> told = new EnumMap<>(DaemonOption.class);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      String where = "line %d of %s".formatted(i + 1, file);
      Matcher form = LINE.matcher(line);
      if (!form.matches()) {
        throw ForkdException.badRequest(
            "Cannot read %s: '%s'. Write key = \"text\", key = 12 or key = true.",
            where, Printable.shorten(line));
      }
      DaemonOption option = option(form.group(1), where);
      DaemonSettings.Told value = new DaemonSettings.Told(value(form, option, where, file), where);
      if (told.put(option, value) != null) {
        throw ForkdException.badRequest("%s is given twice, again in %s.", option.key(), where);
      }
    }
    return told;
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw ForkdException.badRequest(
          "Cannot read the config file %s: %s. Next: mend or remove it, or name another with"
              + " --config.",
          file, e);
    }
  }

  private static DaemonOption option(String key, String where) {
    return DaemonOption.ofKey(key)
        .filter(option -> option != DaemonOption.CONFIG)
        .orElseThrow(
            () ->
                ForkdException.badRequest(
                    "%s sets '%s', which is no option. %s",
                    where, Printable.shorten(key), DaemonSettings.HINT));
  }

  private static String value(Matcher form, DaemonOption option, String where, Path file) {
    if (form.group(2) != null) {
      return located(form.group(2).replaceAll("\\\\(.)", "$1"), option, file);
    }
    if (form.group(3) != null) {
      return located(form.group(3), option, file);
    }
    String bare = form.group(4);
    if (bare.equals("true") || bare.equals("false")) {
      return bare;
    }
    if (!NUMBER.matcher(bare).matches()) {
      throw ForkdException.badRequest(
          "Cannot read %s: put \"\" around the text of %s.", where, option.key());
    }
    return bare.replace("_", "");
  }

  /** A path in the file is meant from the file's folder. */
  private static String located(String text, DaemonOption option, Path file) {
    return option.isPath() && !text.isEmpty()
        ? file.toAbsolutePath().resolveSibling(text).normalize().toString()
        : text;
  }
}
