package io.forkd.linux;

/** Tries to make a network interface for a virtual machine; it vanishes with its descriptor. */
public final class TapProbe {
  private TapProbe() {}

  public static Probe run() {
    try (Fd _ = Tap.attach("fkprobe%d", Tap.IFF_TAP | Tap.IFF_NO_PI)) {
      return Probe.yes("tap interfaces can be made");
    } catch (LinuxException e) {
      return Probe.no(e);
    }
  }
}
