package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.FileStatus;
import io.forkd.linux.HostProcess;
import io.forkd.linux.LinuxException;
import org.jspecify.annotations.Nullable;

/** Takes the device state a VMM has written into a file it was given. */
final class SavedState {
  private static final long LARGEST = 64 << 20;

  private SavedState() {}

  /**
   * The file's content. The VMM is not trusted to have the file it was given under that number:
   * only a regular file of sane size is read.
   */
  static byte[] of(HostProcess process, int descriptor) {
    try (Fd file = process.descriptor(descriptor)) {
      FileStatus status = FileStatus.of(file);
      if (status.type() != FileStatus.Type.FILE || status.size() == 0 || status.size() > LARGEST) {
        throw unusable(
            process, "it is a %s of %d bytes".formatted(status.type(), status.size()), null);
      }
      return FileIo.read(file, 0, (int) status.size());
    } catch (LinuxException e) {
      throw unusable(process, String.valueOf(e.getMessage()), e);
    }
  }

  private static ForkdException unusable(
      HostProcess process, String found, @Nullable Throwable cause) {
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "VMM %d left no usable device state: %s".formatted(process.pid(), found),
        cause);
  }
}
