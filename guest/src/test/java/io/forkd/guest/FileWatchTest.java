package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.guest.FileWatch.Change;
import io.forkd.guest.FileWatch.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a watch of a guest's folder tells. */
@Timeout(120)
class FileWatchTest extends FilesFixture {
  @Test
  void everyKindOfChangeIsToldInOrder() throws Exception {
    try (FileWatch watch = files().watch(folder.toString(), false)) {
      Path file = folder.resolve("a b\nc");
      Files.createFile(file);
      Files.writeString(file, "x");
      Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
      Files.move(file, folder.resolve("moved"));
      Files.delete(folder.resolve("moved"));
      assertThat(until(watch, new Change("moved", Kind.REMOVE)))
          .containsSubsequence(
              new Change("a b\nc", Kind.CREATE),
              new Change("a b\nc", Kind.WRITE),
              new Change("a b\nc", Kind.CHMOD),
              new Change("a b\nc", Kind.RENAME),
              new Change("moved", Kind.CREATE),
              new Change("moved", Kind.REMOVE));
    }
  }

  @Test
  void foldersBelowAreWatchedOnlyWhenAskedFor() throws Exception {
    Files.createDirectories(folder.resolve("below/deep"));
    try (FileWatch shallow = files().watch(folder.toString(), false);
        FileWatch all = files().watch(folder.toString(), true)) {
      Files.createFile(folder.resolve("below/deep/f"));
      Files.createFile(folder.resolve("end"));
      assertThat(until(all, new Change("end", Kind.CREATE)))
          .contains(new Change("below/deep/f", Kind.CREATE));
      assertThat(until(shallow, new Change("end", Kind.CREATE)))
          .containsExactly(new Change("end", Kind.CREATE));
    }
  }

  @Test
  void newFoldersAreWatchedWithWhatIsInThem() throws Exception {
    Path outside = Files.createDirectories(folder.resolve("outside/x/y"));
    Files.createFile(outside.resolve("already there"));
    Path watched = Files.createDirectory(folder.resolve("watched"));
    try (FileWatch watch = files().watch(watched.toString(), true)) {
      Files.createDirectories(watched.resolve("n/e/w"));
      until(watch, new Change("n/e/w", Kind.CREATE));
      Files.createFile(watched.resolve("n/e/w/f"));
      until(watch, new Change("n/e/w/f", Kind.CREATE));
      Files.move(folder.resolve("outside/x"), watched.resolve("x"));
      assertThat(until(watch, new Change("x/y/already there", Kind.CREATE)))
          .containsSubsequence(new Change("x", Kind.CREATE), new Change("x/y", Kind.CREATE));
      Files.writeString(watched.resolve("x/y/already there"), "x");
      until(watch, new Change("x/y/already there", Kind.WRITE));
    }
  }

  @Test
  void aFolderThatMovesIsWatchedByItsNewName() throws Exception {
    Files.createDirectories(folder.resolve("w/a/b"));
    try (FileWatch watch = files().watch(at("w"), true)) {
      Files.move(folder.resolve("w/a"), folder.resolve("w/c"));
      until(watch, new Change("c/b", Kind.CREATE));
      Files.createFile(folder.resolve("w/c/b/f"));
      until(watch, new Change("c/b/f", Kind.CREATE));
      Files.move(folder.resolve("w/c"), folder.resolve("gone"));
      until(watch, new Change("c", Kind.RENAME));
      Files.createFile(folder.resolve("gone/b/unseen"));
      Files.createFile(folder.resolve("w/end"));
      assertThat(until(watch, new Change("end", Kind.CREATE)))
          .containsExactly(new Change("end", Kind.CREATE));
    }
  }

  @Test
  void nothingIsToldWhenNothingHappens() throws Exception {
    try (FileWatch watch = files().watch(folder.toString(), true)) {
      assertThat(watch.next(Duration.ofMillis(50))).isEmpty();
      assertThat(watch.next(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void aFolderThatGoesEndsItsWatch() throws Exception {
    Files.createDirectory(folder.resolve("w"));
    try (FileWatch watch = files().watch(at("w"), true)) {
      Files.delete(folder.resolve("w"));
      assertRefused(GuestFailure.NOT_FOUND, () -> until(watch, new Change("never", Kind.CREATE)));
    }
  }

  @Test
  void whatCannotBeWatchedIsRefused() throws IOException {
    Files.createFile(folder.resolve("file"));
    assertRefused(GuestFailure.NOT_FOUND, () -> files().watch(at("nothing"), false));
    assertRefused(GuestFailure.NOT_A_FOLDER, () -> files().watch(at("file"), true));
    assertRefused(GuestFailure.NO_SUCH_USER, () -> filesOf("mallory").watch(at(""), true));
  }

  @Test
  void aReaderThatIsTooSlowIsToldThatChangesAreLost() throws Exception {
    try (FileWatch watch = files().watch(folder.toString(), false)) {
      Path file = Files.createFile(folder.resolve("busy-" + "x".repeat(240)));
      Path other = folder.resolve("other-" + "x".repeat(240));
      int queue = queueLength();
      // Renames are never merged; what the windows and pipes hold comes on top of the queue.
      for (int i = 0; i < queue / 2 + 5_000; i++) {
        Files.move(i % 2 == 0 ? file : other, i % 2 == 0 ? other : file);
      }
      assertThatThrownBy(() -> until(watch, new Change("never", Kind.CREATE)))
          .isInstanceOfSatisfying(
              GuestRefusal.class, it -> assertThat(it.why()).isEqualTo(GuestFailure.UNFIT))
          .hasMessageContaining("lost");
    }
  }

  @Test
  void aClosedWatchEndsItsHelperAndItsReader() throws Exception {
    FileWatch watch = files().watch(folder.toString(), true);
    assertThat(host().hasChildren()).isTrue();
    watch.close();
    awaitNoHelpers(host());
    assertThatThrownBy(() -> watch.next(Duration.ofMinutes(1)))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aWatchEndsWithTheConnection() throws Exception {
    try (HostAgent own = HostAgent.start(2)) {
      Agent first = own.connect();
      FileWatch watch = first.files(Optional.empty()).watch(folder.toString(), true);
      first.close();
      assertThatThrownBy(() -> watch.next(Duration.ofMinutes(1)))
          .isInstanceOf(ForkdException.class);
      try (Agent second = own.connect()) {
        second.awaitHello(HostAgent.PATIENCE);
        awaitNoHelpers(own);
      }
      own.assertCleanExit();
    }
  }

  /** Such a file gives all it has to the first read, and Files.readString reads one byte first. */
  private static int queueLength() throws IOException {
    Path limit = Path.of("/proc/sys/fs/inotify/max_queued_events");
    try (InputStream in = Files.newInputStream(limit)) {
      return Integer.parseInt(new String(in.readNBytes(64), StandardCharsets.US_ASCII).strip());
    }
  }

  /** All that is told up to and with this. */
  private static List<Change> until(FileWatch watch, Change last) throws InterruptedException {
    List<Change> told = new ArrayList<>();
    while (told.isEmpty() || !told.getLast().equals(last)) {
      Optional<Change> next = watch.next(HostAgent.PATIENCE);
      assertThat(next).as("after %s, before %s", told, last).isPresent();
      told.add(next.get());
    }
    return told;
  }
}
