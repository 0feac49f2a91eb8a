package io.forkd.core.net;

import io.forkd.base.Sha256;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * How one daemon calls what it makes on the host, so that two of them never meet.
 *
 * @param hash of the run folder, 8 hexadecimal digits
 */
record SlotNames(String hash) {
  private static final int HASH = 8;
  private static final int SHORT_HASH = 6;

  static SlotNames of(Path run) {
    return new SlotNames(
        Sha256.hex(run.toAbsolutePath().normalize().toString()).substring(0, HASH));
  }

  /** Of a slot's network namespace. */
  String netns(int number) {
    return "forkd-%s-%d".formatted(hash, number);
  }

  /** Of the host's end of its wire: at most 15 characters. */
  String link(int number) {
    return linkPrefix() + number;
  }

  String linkPrefix() {
    return "fk%s-".formatted(hash.substring(0, SHORT_HASH));
  }

  /** Of the host's table of rules. */
  String table() {
    return "forkd_" + hash;
  }

  OptionalInt numberOfNetns(String name) {
    return number(name, netnsPrefix());
  }

  OptionalInt numberOfLink(String name) {
    return number(name, linkPrefix());
  }

  private String netnsPrefix() {
    return "forkd-%s-".formatted(hash);
  }

  private static OptionalInt number(String name, String prefix) {
    return Optional.of(name)
        .filter(n -> n.startsWith(prefix) && n.substring(prefix.length()).matches("[0-9]{1,5}"))
        .map(n -> OptionalInt.of(Integer.parseInt(n.substring(prefix.length()))))
        .orElse(OptionalInt.empty());
  }
}
