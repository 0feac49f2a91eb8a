package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** A folder of this host as a tar archive, made by {@code tar} while it is read. */
final class Packing implements AutoCloseable {
  private static final int LONGEST_COMPLAINT = 4096;

  private final Process tar;
  private final CompletableFuture<String> complaint;

  private Packing(Process tar) {
    this.tar = tar;
    this.complaint = CompletableFuture.supplyAsync(this::readComplaint, Thread::startVirtualThread);
  }

  static Packing of(Path folder) throws IOException {
    return new Packing(
        new ProcessBuilder(List.of("tar", "--format=pax", "-C", folder.toString(), "-cf", "-", "."))
            .redirectInput(Path.of("/dev/null").toFile())
            .start());
  }

  InputStream archive() {
    return tar.getInputStream();
  }

  /** Fails when something was left out. */
  void requireComplete() throws IOException {
    try {
      if (tar.waitFor() != 0) {
        throw new IOException("tar: " + complaint.join().strip());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private String readComplaint() {
    try (InputStream err = tar.getErrorStream()) {
      String text = new String(err.readNBytes(LONGEST_COMPLAINT), UTF_8);
      err.transferTo(OutputStream.nullOutputStream());
      return text;
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    tar.destroyForcibly();
  }
}
