package io.forkd.core;

import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import java.nio.ByteBuffer;

/** Gives device state the form of a file, as VMMs and the store want it. */
final class DeviceStates {
  private DeviceStates() {}

  /** A file of our own with this content, to be closed by the caller. */
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
}
