package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A file gets all of its new content or keeps what it had. Runs as root. */
@Timeout(120)
class FileReplaceTest extends FilesFixture {
  /** Much that arrives, and then nothing any more. */
  private static final class Breaking extends InputStream {
    private int left = 1_000_000;

    @Override
    public int read() {
      throw new UnsupportedOperationException("one byte at a time would take for ever");
    }

    @Override
    public int read(byte[] into, int from, int length) throws IOException {
      int some = Math.min(length, left);
      if (some == 0) {
        throw new IOException("the sender is gone");
      }
      Arrays.fill(into, from, from + some, (byte) 'x');
      left -= some;
      return some;
    }
  }

  private void breakOff(String name) {
    assertThatThrownBy(() -> files().write(at(name), FileWrite.REPLACE, new Breaking()))
        .isInstanceOf(IOException.class)
        .hasMessage("the sender is gone");
    awaitNoHelpers(host());
  }

  private List<String> names() throws IOException {
    try (var all = Files.list(folder)) {
      return all.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  /** What is left of an upload goes when its helper has gone. */
  private void awaitOnly(String... names) throws IOException {
    Deadline deadline = Deadline.in(HostAgent.PATIENCE);
    while (!names().equals(List.of(names))) {
      assertThat(deadline.passed()).as(names().toString()).isFalse();
      HostAgent.sleep();
    }
  }

  @Test
  void contentThatNeverComesWholeLeavesWhatWasThere() throws IOException {
    FileWrite how = new FileWrite(false, Optional.of(0640), Map.of("author", "me"));
    filesOf("nobody").write(at("f"), how, stream("old"));
    FileEntry before = files().stat(at("f"));

    breakOff("f");
    assertThat(read(files(), at("f"))).isEqualTo("old");
    assertThat(files().stat(at("f"))).isEqualTo(before);
    awaitOnly("f");
  }

  @Test
  void contentThatNeverComesWholeMakesNoFile() throws IOException {
    breakOff("f");
    awaitOnly();
  }

  @Test
  void anUploadEndsWithTheConnection() throws Exception {
    Files.writeString(folder.resolve("f"), "old");
    try (HostAgent own = HostAgent.start(2)) {
      Agent first = own.connect();
      CountDownLatch asked = new CountDownLatch(1);
      CountDownLatch never = new CountDownLatch(1);
      InputStream hanging =
          new InputStream() {
            @Override
            public int read() throws IOException {
              asked.countDown();
              try {
                never.await();
              } catch (InterruptedException e) {
                throw new IOException(e);
              }
              return -1;
            }
          };
      Thread upload =
          Thread.ofVirtual()
              .start(
                  () -> {
                    try {
                      first.files(Optional.empty()).write(at("f"), FileWrite.REPLACE, hanging);
                    } catch (IOException | RuntimeException e) {
                      // As it should.
                    }
                  });
      assertThat(asked.await(HostAgent.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      while (names().size() < 2) {
        HostAgent.sleep();
      }
      first.close();
      try (Agent second = own.connect()) {
        second.awaitHello(HostAgent.PATIENCE);
        awaitNoHelpers(own);
      }
      awaitOnly("f");
      assertThat(folder.resolve("f")).hasContent("old");
      upload.interrupt();
      upload.join();
      own.assertCleanExit();
    }
  }

  @Test
  void aLinkStaysOneAndWhatItLeadsToIsReplaced() throws IOException {
    Files.createDirectory(folder.resolve("there"));
    Files.writeString(folder.resolve("there/f"), "old");
    Files.createSymbolicLink(folder.resolve("second"), Path.of("there/f"));
    Files.createSymbolicLink(folder.resolve("first"), folder.resolve("second"));

    write(files(), at("first"), "new");
    assertThat(folder.resolve("first")).isSymbolicLink();
    assertThat(folder.resolve("there/f")).hasContent("new").isRegularFile();
    Files.createSymbolicLink(folder.resolve("round"), Path.of("round"));
    assertRefused(GuestFailure.UNFIT, () -> write(files(), at("round"), "x"));
  }

  @Test
  void allNamesOfAFileHaveTheNewContent() throws IOException {
    Files.writeString(folder.resolve("one"), "old");
    Files.createLink(folder.resolve("other"), folder.resolve("one"));

    write(files(), at("one"), "new");
    assertThat(folder.resolve("other")).hasContent("new");
  }

  @Test
  void attributesOfOthersStay() throws Exception {
    Files.writeString(folder.resolve("f"), "old");
    Files.setAttribute(folder.resolve("f"), "user:colour", "red".getBytes(StandardCharsets.UTF_8));

    write(files(), at("f"), "new");
    assertThat(Files.getAttribute(folder.resolve("f"), "user:colour"))
        .isEqualTo("red".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aPipeIsWrittenInto() throws Exception {
    assertThat(new ProcessBuilder("mkfifo", at("pipe")).start().waitFor()).isZero();
    CompletableFuture<String> reader =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return Files.readString(folder.resolve("pipe"));
              } catch (IOException e) {
                return e.toString();
              }
            });
    boolean refused = true;
    while (refused) {
      try {
        assertThat(write(files(), at("pipe"), "through").type()).isEqualTo(FileEntry.Type.OTHER);
        refused = false;
      } catch (GuestRefusal e) {
        assertThat(e.why()).as("nobody reads yet").isEqualTo(GuestFailure.UNFIT);
      }
    }
    assertThat(reader.get(HostAgent.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isEqualTo("through");
    awaitOnly("pipe");
  }

  @Test
  void watchersHearOfAWriteAndOfNothingElse() throws Exception {
    try (FileWatch watch = files().watch(folder.toString(), true)) {
      write(files(), at("f"), "one");
      write(files(), at("f"), "two");
      files().makeFolder(at("end"));
      List<FileWatch.Change> told = new ArrayList<>();
      FileWatch.Change last = new FileWatch.Change("end", FileWatch.Kind.CREATE);
      while (!told.contains(last)) {
        told.add(watch.next(HostAgent.PATIENCE).orElseThrow());
      }
      assertThat(told)
          .startsWith(
              new FileWatch.Change("f", FileWatch.Kind.CREATE),
              new FileWatch.Change("f", FileWatch.Kind.WRITE),
              new FileWatch.Change("f", FileWatch.Kind.WRITE),
              last);
    }
  }
}
