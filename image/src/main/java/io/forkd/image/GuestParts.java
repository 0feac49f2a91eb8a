package io.forkd.image;

import java.util.Map;

/**
 * The programs forkd itself puts into every guest.
 *
 * @param agent the static program that becomes {@code /init}
 * @param runtimes the files of the runtime kernels by name; {@code python.py} is that of the
 *     runtime {@code python}
 */
public record GuestParts(byte[] agent, Map<String, byte[]> runtimes) {
  public GuestParts {
    runtimes = Map.copyOf(runtimes);
  }
}
