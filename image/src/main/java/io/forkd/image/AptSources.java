package io.forkd.image;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The distribution's own archive as this host's apt is configured to reach it: third-party sources
 * left out, so that a guest holds what the distribution ships and a dead mirror of someone else
 * cannot stop a build.
 */
final class AptSources {
  private static final Set<String> DISTRIBUTIONS = Set.of("Debian", "Ubuntu");
  private static final List<String> POCKETS = List.of("", "-updates", "-security");
  private static final Pattern ONE_LINE =
      Pattern.compile("\\s*deb\\s+(?:\\[([^\\]]*)\\]\\s*)?(\\S+)\\s+(\\S+).*");

  private AptSources() {}

  /**
   * Sources for a release, in deb822 form; empty when apt knows none.
   *
   * @param indexTargets what {@code apt-get indextargets} prints
   * @param readFile the text of a sources file, empty when it cannot be read
   */
  static Optional<String> forSuite(
      String suite, String indexTargets, Function<String, String> readFile) {
    Map<Archive, Set<String>> components = new LinkedHashMap<>();
    for (Map<String, String> target : Deb822.parse(indexTargets)) {
      String release = target.getOrDefault("release", "");
      if (target.getOrDefault("created-by", "").equals("Packages")
          && DISTRIBUTIONS.contains(target.getOrDefault("origin", ""))
          && POCKETS.stream().anyMatch(pocket -> release.equals(suite + pocket))) {
        String uri = target.getOrDefault("repo-uri", target.getOrDefault("site", ""));
        String file = target.getOrDefault("sourcesentry", "").replaceFirst(":\\d+$", "");
        String signedBy = signedBy(readFile.apply(file), uri, release);
        components
            .computeIfAbsent(new Archive(uri, release, signedBy), key -> new LinkedHashSet<>())
            .add(target.getOrDefault("component", "main"));
      }
    }
    boolean hasMain = components.keySet().stream().anyMatch(a -> a.release.equals(suite));
    return hasMain ? Optional.of(print(components)) : Optional.empty();
  }

  private static String print(Map<Archive, Set<String>> archives) {
    StringBuilder text = new StringBuilder();
    archives.forEach(
        (archive, components) -> {
          text.append("Types: deb\nURIs: ").append(archive.uri);
          text.append("\nSuites: ").append(archive.release);
          text.append("\nComponents: ").append(String.join(" ", components)).append('\n');
          if (!archive.signedBy.isEmpty()) {
            // An embedded key begins on the line after.
            String gap = archive.signedBy.startsWith("\n") ? "" : " ";
            text.append("Signed-By:").append(gap).append(archive.signedBy).append('\n');
          }
          text.append('\n');
        });
    return text.toString();
  }

  /**
   * The key that a sources file demands for an archive: a path, a fingerprint or the key itself.
   */
  static String signedBy(String sourcesFile, String uri, String release) {
    for (Map<String, String> stanza : Deb822.parse(sourcesFile)) {
      if (words(stanza.get("uris")).stream().anyMatch(word -> sameUri(word, uri))
          && words(stanza.get("suites")).contains(release)) {
        return stanza.getOrDefault("signed-by", "");
      }
    }
    for (String line : sourcesFile.lines().toList()) {
      Matcher match = ONE_LINE.matcher(line);
      if (match.matches() && sameUri(match.group(2), uri) && match.group(3).equals(release)) {
        return option(match.group(1), "signed-by").replace(',', ' ');
      }
    }
    return "";
  }

  private static String option(@Nullable String options, String name) {
    return words(options).stream()
        .filter(word -> word.startsWith(name + "="))
        .map(word -> word.substring(name.length() + 1))
        .findFirst()
        .orElse("");
  }

  private static List<String> words(@Nullable String text) {
    return text == null ? List.of() : Arrays.asList(text.strip().split("\\s+"));
  }

  private static boolean sameUri(String one, String other) {
    return one.replaceFirst("/+$", "").equals(other.replaceFirst("/+$", ""));
  }

  /**
   * The settings of apt that decide how archives are reached (proxies, certificates, retries), as
   * lines of an apt.conf, from what {@code apt-config dump Acquire} prints.
   */
  static List<String> reachability(String dump) {
    List<String> lines = new ArrayList<>();
    for (String line : dump.lines().toList()) {
      boolean protocol = line.matches("Acquire::(http|https|ftp|mirror)::.*");
      boolean general = line.matches("Acquire::(Retries|ForceIPv[46]|Check-Valid-Until) .*");
      if ((protocol || general) && !line.endsWith(" \"\";")) {
        lines.add(line);
      }
    }
    return lines;
  }

  private record Archive(String uri, String release, String signedBy) {}
}
