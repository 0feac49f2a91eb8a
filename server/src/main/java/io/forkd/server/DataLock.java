package io.forkd.server;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.WRITE;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The claim of one daemon on a data folder. The kernel drops it when the process dies. */
final class DataLock implements AutoCloseable {
  private final FileChannel channel;

  private DataLock(FileChannel channel) {
    this.channel = channel;
  }

  static DataLock take(Locations locations) {
    Path file = locations.data().resolve("daemon.lock");
    FileChannel channel = null;
    try {
      Files.createDirectories(locations.data());
      channel = FileChannel.open(file, CREATE, WRITE);
      if (channel.tryLock() != null) {
        return new DataLock(channel);
      }
    } catch (OverlappingFileLockException e) {
      // Another daemon in this very process: refused below like any other.
    } catch (IOException e) {
      close(channel);
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Cannot lock %s: %s. Next: check who owns the folder, or set FORKD_DATA."
              .formatted(file, e),
          e);
    }
    close(channel);
    throw ForkdException.conflict(
        "Another daemon%s uses the data folder %s. Next: `forkd daemon stop`, or set FORKD_DATA to"
            + " another folder.",
        PidFile.describe(locations.pidFile()), locations.data());
  }

  @Override
  public void close() {
    close(channel);
  }

  private static void close(@Nullable FileChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "Cannot give the data folder free: %s.".formatted(e), e);
    }
  }
}
