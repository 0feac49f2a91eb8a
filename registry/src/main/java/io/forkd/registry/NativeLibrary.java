package io.forkd.registry;

import io.forkd.base.ErrorCode;
import io.forkd.base.Folders;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.sqlite.SQLiteJDBCLoader;

/** SQLite's native library, loaded once per process and leaving no file behind. */
final class NativeLibrary {
  /*
   * The driver unpacks the library into a folder under a new name each time and removes it when the
   * JVM exits, so that killed processes would fill that folder. A loaded library needs its file no
   * more: ours goes at once, and what a process killed in between left goes the next time.
   */
  private static final String FOLDER = "org.sqlite.tmpdir";

  private static boolean loaded;

  private NativeLibrary() {}

  static synchronized void load(Path data) {
    if (loaded) {
      return;
    }
    Path folder = data.resolve(".native");
    try {
      loadFrom(folder);
    } catch (Exception e) {
      // The data folder may be full, or on a file system nothing may be executed from.
      Log.REGISTRY.warn("cannot load SQLite from {} ({}): using the JVM's folder", folder, e);
      loadFromTemporaryFolder(e);
    }
    loaded = true;
  }

  private static void loadFrom(Path folder) throws Exception {
    Folders.deleteIfThere(folder);
    Files.createDirectories(folder);
    System.setProperty(FOLDER, folder.toString());
    try {
      SQLiteJDBCLoader.initialize();
    } finally {
      System.clearProperty(FOLDER);
      removeQuietly(folder);
    }
  }

  private static void loadFromTemporaryFolder(Exception first) {
    try {
      SQLiteJDBCLoader.initialize();
    } catch (Exception e) {
      e.addSuppressed(first);
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "cannot load SQLite's native library, neither from the data folder (%s) nor from %s (%s):"
                  .formatted(
                      first.getMessage(), System.getProperty("java.io.tmpdir"), e.getMessage())
              + " one of them needs some MiB of room and must allow to execute files.",
          e);
    }
  }

  private static void removeQuietly(Path folder) {
    try {
      Folders.deleteIfThere(folder);
    } catch (IOException e) {
      Log.REGISTRY.debug("{} stays until the next start", folder, e);
    }
  }
}
