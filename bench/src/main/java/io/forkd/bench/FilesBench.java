package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.client.ChildRequest;
import io.forkd.client.FileWrite;
import io.forkd.client.ForkRequest;
import io.forkd.client.ForkdClient;
import io.forkd.client.SandboxFiles;
import io.forkd.client.SnapshotInfo;
import java.io.OutputStream;
import java.security.DigestInputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Sends one large file into a sandbox and fetches it again, while the daemon's memory is watched.
 */
final class FilesBench {
  private static final long SEED = 5;

  private final ForkdClient client;
  private final Narrator narrator;

  FilesBench(ForkdClient client, Narrator narrator) {
    this.client = client;
    this.narrator = narrator;
  }

  FilesReport run(FilesOptions options) {
    SnapshotInfo snapshot = Daemons.snapshot(client, options.tag());
    requireRoom(snapshot, options);
    Machine machine = Machine.read(snapshot);
    long bytes = (long) options.mib() << 20;
    ChildRequest child = ChildRequest.of(options.memoryMib(), Optional.empty());
    try (Undo undo = new Undo(narrator::warn);
        Children forked =
            Children.fork(client, new ForkRequest(options.tag(), 1, false, child), undo);
        Peak peak = new Peak(client)) {
      SandboxFiles files = client.files(forked.all().getFirst().id());
      narrator.begin("Sending %d MiB".formatted(options.mib()));
      MessageDigest sent = sha256();
      Stopwatch up = new Stopwatch();
      files.write(
          options.path(),
          new DigestInputStream(new NoiseStream(SEED, bytes), sent),
          FileWrite.replacing().sized(bytes));
      double upMs = up.millis();
      narrator.begin("Fetching %d MiB".formatted(options.mib()));
      MessageDigest fetched = sha256();
      Stopwatch down = new Stopwatch();
      files.read(options.path(), new DigestOutputStream(OutputStream.nullOutputStream(), fetched));
      double downMs = down.millis();
      return new FilesReport(
          machine,
          options,
          upMs,
          downMs,
          hex(sent),
          hex(fetched),
          peak.heapBytes(),
          peak.residentBytes());
    }
  }

  /** A sandbox's files lie in its memory, of which they may take half. */
  private static void requireRoom(SnapshotInfo snapshot, FilesOptions options) {
    int needed = 2 * options.mib() + 256;
    if (snapshot.memoryMib() < needed) {
      throw ForkdException.badRequest(
          "A file of %d MiB does not fit in a child of %s, which has %d MiB and lets files take"
              + " half of it. Next: `forkd snapshot --tag large --recipe python-numpy --memory-mib"
              + " %d`, or a smaller --mib.",
          options.mib(), options.tag(), snapshot.memoryMib(), needed);
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JVM has SHA-256", e);
    }
  }

  private static String hex(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }
}
