package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The file a VMM writes its device state to. The VMM is not trusted, so neither is the file. */
record DeviceStateFile(Path path) {
  private static final long LARGEST = 64 << 20;

  /** Its content; only a regular file of sane size is taken. */
  byte[] take() {
    // Without waiting: a pipe would hold us until somebody writes into it.
    try (Fd file = HostFiles.open(path, OpenFlag.READ, OpenFlag.NON_BLOCKING)) {
      FileStatus status = FileStatus.of(file);
      if (status.type() != FileStatus.Type.FILE || status.size() == 0 || status.size() > LARGEST) {
        throw unusable("it is a %s of %d bytes".formatted(status.type(), status.size()));
      }
      return FileIo.read(file, 0, (int) status.size());
    } catch (LinuxException e) {
      throw unusable(String.valueOf(e.getMessage()));
    }
  }

  /** A file of our own with this content. */
  static Memfd inMemory(byte[] content) {
    Memfd file = Memfd.create("forkd-device-state", content.length);
    try {
      FileIo.pwrite(file.fd(), ByteBuffer.wrap(content), 0);
      return file;
    } catch (RuntimeException e) {
      file.close();
      throw e;
    }
  }

  private ForkdException unusable(String found) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "the VMM left no usable device state in %s: %s".formatted(path, found));
  }
}
