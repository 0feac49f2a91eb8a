package io.forkd.vmm;

import io.forkd.linux.Fd;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostProcess;
import io.forkd.linux.Mapping;
import io.forkd.linux.Memfd;
import java.io.IOException;
import java.util.Set;

/** Prepares the image under a guest's memory for being read as a whole by its VMM. */
final class ImagePages {
  private ImagePages() {}

  /**
   * Has the holes of the image hold pages. Reading a hole makes one; when the VMM did that, it
   * would count against its sandbox's limit, although the image is everybody's, and could get it
   * killed. The VMM is not trusted to still have the file it was given.
   */
  static void makeAll(HostProcess process, long guestBytes) throws IOException {
    try (Fd image = process.descriptor(QemuCommand.MEMORY_FD)) {
      FileStatus status = FileStatus.of(image);
      if (status.type() != FileStatus.Type.FILE
          || status.size() != guestBytes
          || !Memfd.seals(image).containsAll(Set.of(Memfd.Seal.SHRINK, Memfd.Seal.WRITE))) {
        throw new IOException("VMM %d lacks the image it was given".formatted(process.pid()));
      }
      try (Mapping pages = Mapping.readOnly(image, 0, guestBytes)) {
        pages.populateForReading();
      }
    }
  }
}
