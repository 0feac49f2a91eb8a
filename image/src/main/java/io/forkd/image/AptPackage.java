package io.forkd.image;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;

/** A package as apt describes its candidate version. */
record AptPackage(String name, String version, String depends) {
  static Optional<AptPackage> show(String name) {
    Command command = Command.of(Tool.APT_CACHE, "--no-all-versions", "show", name);
    // apt-cache fails for a package it does not know.
    return command.outputIfSuccessful().flatMap(AptPackage::parse);
  }

  static Optional<AptPackage> parse(String text) {
    return Deb822.parse(text).stream()
        .filter(stanza -> stanza.containsKey("package") && stanza.containsKey("version"))
        .map(AptPackage::of)
        .findFirst();
  }

  private static AptPackage of(Map<String, String> stanza) {
    return new AptPackage(
        stanza.getOrDefault("package", ""),
        stanza.getOrDefault("version", ""),
        stanza.getOrDefault("depends", ""));
  }

  Optional<String> dependency(String prefix) {
    return Arrays.stream(depends.split("[,|]"))
        .map(each -> each.strip().split("[ (:]")[0])
        .filter(each -> each.startsWith(prefix))
        .findFirst();
  }
}
