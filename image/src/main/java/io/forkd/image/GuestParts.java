package io.forkd.image;

import java.util.Map;

/**
 * The programs forkd itself puts into every guest.
 *
 * @param agent the static program that becomes {@code /init}
 * @param runtimes source of each runtime kernel by name, such as {@code python}
 */
public record GuestParts(byte[] agent, Map<String, byte[]> runtimes) {
  public GuestParts {
    runtimes = Map.copyOf(runtimes);
  }
}
