package io.forkd.cli;

import io.forkd.linux.LinuxException;
import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import io.forkd.linux.Reflink;
import io.forkd.linux.Userfaultfd;
import java.nio.file.Files;
import java.nio.file.Path;

/** The doctor's door to the linux module, which finds kernel features out by using them. */
final class HostProbes {
  private HostProbes() {}

  static Probe userfaultfd() {
    Probes.UserfaultfdSupport support = Probes.userfaultfd();
    return new Probe(
        support.available(),
        support.available()
            ? "%s, %d features".formatted(support.reason(), support.features().size())
            : support.reason());
  }

  static Probe writeProtectAsync() {
    boolean works = Probes.userfaultfd().features().contains(Userfaultfd.Feature.WP_ASYNC);
    return new Probe(works, works ? "userfaultfd offers WP_ASYNC" : "userfaultfd lacks WP_ASYNC");
  }

  static Probe pagemap() {
    Path pagemap = Path.of("/proc/self/pagemap");
    boolean works = Files.isReadable(pagemap);
    return new Probe(works, pagemap + (works ? " can be read" : " cannot be read"));
  }

  static Probe reflink(Path folder) {
    Path existing = Host.existing(folder);
    try {
      boolean works = Reflink.supportedIn(existing);
      return new Probe(works, (works ? "works in " : "not in ") + existing);
    } catch (LinuxException e) {
      return new Probe(false, String.valueOf(e.getMessage()));
    }
  }

  static boolean kernelAtLeast(int major, int minor) {
    String[] parts = System.getProperty("os.version", "0.0").split("[^0-9]+", 3);
    int foundMajor = Integer.parseInt(parts[0]);
    int foundMinor = parts.length > 1 && !parts[1].isEmpty() ? Integer.parseInt(parts[1]) : 0;
    return foundMajor > major || (foundMajor == major && foundMinor >= minor);
  }
}
