package io.forkd.core;

import io.forkd.linux.HostProcess;
import io.forkd.linux.Maps;
import io.forkd.linux.MemoryArea;
import io.forkd.linux.Userfaultfd;
import io.forkd.vmm.GuestRam;

/** Ends the tracking of writes that a daemon left behind when it died in a live branch. */
final class Tracking {
  private Tracking() {}

  static void stop(HostProcess process, int number) {
    try (Userfaultfd faults = Userfaultfd.ofProcess(process, number)) {
      Maps.of(process.pid()).stream()
          .flatMap(maps -> maps.ofFile(GuestRam.NAME).stream())
          .filter(MemoryArea::writable)
          .forEach(faults::unregister);
    }
  }
}
