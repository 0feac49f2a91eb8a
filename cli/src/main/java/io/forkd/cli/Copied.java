package io.forkd.cli;

import java.util.List;

/**
 * What a copy did.
 *
 * @param bytes that travelled, of an archive where it was a folder
 * @param skipped what cannot be had on this host
 */
record Copied(String to, long bytes, double seconds, List<String> skipped) {
  static Copied of(Object to, Transfer transfer) {
    return new Copied(to.toString(), transfer.bytes(), transfer.seconds(), List.of());
  }
}
