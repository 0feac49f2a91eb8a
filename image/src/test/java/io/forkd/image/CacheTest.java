package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CacheTest {
  @TempDir Path folder;

  @Test
  void anEntryIsMadeOnceHoweverManyAskAtOnce() throws Exception {
    Cache cache = new Cache(folder);
    AtomicInteger made = new AtomicInteger();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Path>> all =
          IntStream.range(0, 20)
              .mapToObj(
                  number ->
                      threads.submit(
                          () ->
                              cache.obtain(
                                  "kernels",
                                  "k",
                                  work -> {
                                    made.incrementAndGet();
                                    Files.writeString(work.resolve("file"), "x");
                                  })))
              .toList();
      for (Future<Path> each : all) {
        assertThat(each.get().resolve("file")).hasContent("x");
      }
    }
    assertThat(made).hasValue(1);
  }

  @Test
  void aFailedBuildLeavesNothingAndTheNextOneSucceeds() {
    Cache cache = new Cache(folder);

    assertThatThrownBy(
            () ->
                cache.obtain(
                    "disks",
                    "d",
                    work -> {
                      Files.writeString(work.resolve("half"), "x");
                      throw new IOException("No space left on device");
                    }))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("Next: free disk space");

    assertThat(folder.resolve("work")).isEmptyDirectory();
    assertThat(cache.find("disks", "d")).isEmpty();
    assertThat(cache.obtain("disks", "d", work -> {})).isDirectory();
  }

  @Test
  void theSameContentAddedTwiceIsOneEntry() {
    Cache cache = new Cache(folder);

    Path one = cache.add("disks", work -> addFile(work, "same"));
    Path two = cache.add("disks", work -> addFile(work, "same"));

    assertThat(two).isEqualTo(one);
    assertThat(one.resolve("file")).hasContent("same");
    assertThat(folder.resolve("work")).isEmptyDirectory();
    assertThat(folder.resolve("locks")).isEmptyDirectory();
  }

  @Test
  void whatAKilledProcessHalfMadeIsDeletedAndWhatALivingOneMakesIsNot() throws Exception {
    Process builder = OtherProcess.start(EndlessBuilder.class, folder.toString());
    Path half = folder.resolve("work/roots-r/half");
    OtherProcess.awaitFile(half);
    try {
      new Cache(folder);
      assertThat(half).exists();
    } finally {
      builder.destroyForcibly().waitFor();
    }

    Cache cache = new Cache(folder);

    assertThat(folder.resolve("work")).isEmptyDirectory();
    Path entry = cache.obtain("roots", "r", work -> addFile(work, "whole"));
    assertThat(entry.resolve("half")).doesNotExist();
    assertThat(entry.resolve("file")).hasContent("whole");
  }

  /** Begins an entry and never ends it. */
  static final class EndlessBuilder {
    private EndlessBuilder() {}

    public static void main(String[] args) {
      new Cache(Path.of(args[0]))
          .obtain(
              "roots",
              "r",
              work -> {
                Files.writeString(work.resolve("half"), "x");
                try {
                  Thread.sleep(600_000);
                } catch (InterruptedException e) {
                  throw new IOException(e);
                }
              });
    }
  }

  @Test
  void deletingATreeDoesNotFollowLinks() throws IOException {
    Path outside = Files.writeString(folder.resolve("outside"), "kept");
    Path tree = folder.resolve("tree");
    Path below = Files.createDirectories(tree.resolve("below"));
    Files.createSymbolicLink(below.resolve("link"), outside);
    Files.createSymbolicLink(below.resolve("dangling"), Path.of("/nowhere"));

    Trees.delete(tree);

    assertThat(tree).doesNotExist();
    assertThat(outside).hasContent("kept");
  }

  @Test
  void mountsBelowAFolderAreFoundInnermostFirst() {
    List<String> mountinfo =
        List.of(
            "1 0 8:1 / / rw - ext4 /dev/a rw",
            "2 1 8:1 / /cache rw - ext4 /dev/b rw",
            "3 2 0:5 / /cache/work/a\\040b/dev rw - devtmpfs none rw",
            "4 3 0:6 / /cache/work/a\\040b/dev/pts rw - devpts none rw",
            "5 1 0:7 / /cache-of-another rw - tmpfs none rw");

    assertThat(Mounts.below(Path.of("/cache"), mountinfo))
        .containsExactly(Path.of("/cache/work/a b/dev/pts"), Path.of("/cache/work/a b/dev"));
  }

  private static String addFile(Path work, String text) throws IOException {
    Files.writeString(work.resolve("file"), text);
    return text;
  }
}
