package io.forkd.bench;

import io.forkd.base.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A folder that ends with the benchmark. */
final class WorkFolder implements AutoCloseable {
  private static final int ATTEMPTS = 50;
  private static final int PAUSE_MILLIS = 100;

  private final Path path;
  private final Undo.Mark mark;

  private WorkFolder(Path path, Undo.Mark mark) {
    this.path = path;
    this.mark = mark;
  }

  static WorkFolder make(Undo undo) {
    try {
      Path path = Files.createTempDirectory("forkd-bench-");
      try {
        return new WorkFolder(path, undo.remember("deleting " + path, () -> delete(path)));
      } catch (Undo.EndingException e) {
        Files.delete(path);
        throw e;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  Path path() {
    return path;
  }

  /** Programs that were killed a moment ago may still write here. */
  private static void delete(Path path) throws IOException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        Folders.deleteIfThere(path);
        return;
      } catch (FileSystemException e) {
        if (attempt == ATTEMPTS) {
          throw e;
        }
        Thread.sleep(PAUSE_MILLIS);
      }
    }
  }

  @Override
  public void close() {
    mark.close();
  }
}
