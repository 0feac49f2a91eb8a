package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reading and writing files of a guest. Runs as root. */
@Timeout(180)
class FileDataTest extends FilesFixture {
  @Test
  void whatWasWrittenIsRead() throws IOException {
    FileEntry entry = write(files(), at("f"), "hello");
    assertThat(entry.size()).isEqualTo(5);
    assertThat(entry.mode()).isEqualTo(0644);
    assertThat(read(files(), at("f"))).isEqualTo("hello");
    assertThat(write(files(), at("f"), "").size()).isZero();
    assertThat(read(files(), at("f"))).isEmpty();
  }

  @Test
  void aFileThatIsThereKeepsItsOwnerAndMode() throws IOException {
    FileWrite how = new FileWrite(false, Optional.of(0751), Map.of());
    assertThat(filesOf("nobody").write(at("f"), how, stream("long content")).mode())
        .isEqualTo(0751);
    FileEntry again = write(files(), at("f"), "short");
    assertThat(again.mode()).isEqualTo(0751);
    assertThat(again.owner()).isEqualTo("nobody");
    assertThat(read(files(), at("f"))).isEqualTo("short");
  }

  @Test
  void appendingKeepsWhatIsThere() throws IOException {
    FileWrite append = new FileWrite(true, Optional.empty(), Map.of());
    files().write(at("new/log"), append, stream("one\n"));
    assertThat(files().write(at("new/log"), append, stream("two\n")).size()).isEqualTo(8);
    assertThat(read(files(), at("new/log"))).isEqualTo("one\ntwo\n");
  }

  @Test
  void aPartIsReadFromWhereItBegins() throws IOException {
    write(files(), at("f"), "0123456789");
    assertThat(part(2, OptionalLong.of(3))).isEqualTo("3:234");
    assertThat(part(8, OptionalLong.of(100))).isEqualTo("2:89");
    assertThat(part(0, OptionalLong.of(0))).isEqualTo("0:");
    assertThat(part(10, OptionalLong.empty())).isEqualTo("0:");
    assertThat(part(1L << 40, OptionalLong.empty())).isEqualTo("0:");
    assertThatThrownBy(() -> files().read(at("f"), -1, OptionalLong.empty()))
        .isInstanceOf(ForkdException.class);
  }

  private String part(long offset, OptionalLong length) throws IOException {
    try (FileContent content = files().read(at("f"), offset, length)) {
      String text = new String(content.stream().readAllBytes(), StandardCharsets.UTF_8);
      return content.length().orElseThrow() + ":" + text;
    }
  }

  @Test
  void aPartOfALongFileIsExactlyThat() throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(at("long"), "rw")) {
      file.seek(5_000_000_000L);
      file.write("in the middle".getBytes(StandardCharsets.UTF_8));
      file.setLength(6_000_000_000L);
    }
    try (FileContent content = files().read(at("long"), 5_000_000_000L, OptionalLong.of(300_000))) {
      assertThat(content.length()).hasValue(300_000);
      byte[] bytes = content.stream().readAllBytes();
      assertThat(bytes)
          .hasSize(300_000)
          .startsWith("in the middle".getBytes(StandardCharsets.UTF_8));
    }
    // Nobody wants the rest: the helper ends and the agent serves on.
    try (FileContent content = files().read(at("long"), 0, OptionalLong.empty())) {
      assertThat(content.length()).hasValue(6_000_000_000L);
      assertThat(content.stream().readNBytes(1000)).hasSize(1000);
    }
    awaitNoHelpers(host());
  }

  @Test
  void filesOfTheKernelAndDevicesAreReadThoughTheirSizeIsALie() throws IOException {
    assertThat(read(files(), "/proc/self/status")).contains("forkd-agent");
    try (FileContent mounts = files().read("/proc/kallsyms", 0, OptionalLong.empty())) {
      assertThat(mounts.length()).isEmpty();
      assertThat(mounts.stream().readAllBytes()).hasSizeGreaterThan(100_000);
    }
    assertThat(read(files(), "/sys/kernel/mm/transparent_hugepage/enabled")).isNotEmpty();
    try (FileContent zeros = files().read("/dev/zero", 0, OptionalLong.of(1_000_000))) {
      assertThat(zeros.length()).isEmpty();
      assertThat(zeros.stream().readAllBytes()).hasSize(1_000_000).containsOnly(0);
    }
    assertThat(read(files(), "/dev/null")).isEmpty();
    assertThat(write(files(), "/dev/null", "into nothing").type()).isEqualTo(FileEntry.Type.OTHER);
  }

  @Test
  void whatIsNoFileIsRefused() throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("mkfifo", at("pipe")).start().waitFor()).isZero();
    Files.writeString(folder.resolve("file"), "x");
    assertRefused(GuestFailure.NOT_FOUND, () -> read(files(), at("nothing")));
    assertRefused(GuestFailure.IS_A_FOLDER, () -> read(files(), at("")));
    assertRefused(GuestFailure.UNFIT, () -> read(files(), at("pipe")));
    assertRefused(GuestFailure.IS_A_FOLDER, () -> write(files(), at(""), "x"));
    assertRefused(GuestFailure.NOT_A_FOLDER, () -> write(files(), at("file/below"), "x"));
    assertRefused(GuestFailure.UNFIT, () -> write(files(), at("pipe"), "x"));
    assertRefused(GuestFailure.NO_SUCH_USER, () -> write(filesOf("mallory"), at("x"), "x"));
    assertRefused(GuestFailure.NO_SPACE, () -> write(files(), "/dev/full", "x"));
    assertThatThrownBy(
            () ->
                files()
                    .write(
                        at("x"), new FileWrite(false, Optional.of(070000), Map.of()), stream("")))
        .hasMessageContaining("no mode");
  }

  @Test
  void linksAreFollowedByReadingAndWriting() throws IOException {
    Files.createSymbolicLink(folder.resolve("link"), Path.of("target"));
    write(filesOf("nobody"), at("link"), "through");
    assertThat(Files.readString(folder.resolve("target"))).isEqualTo("through");
    assertThat(files().stat(at("target")).owner()).isEqualTo("nobody");
    assertThat(read(files(), at("link"))).isEqualTo("through");
  }

  @Test
  void metadataIsStoredReplacedAndTold() throws IOException {
    Map<String, String> first = Map.of("author", "ü", "empty", "", "X-Thing", "1 2\n3");
    assertThat(withMetadata(first).metadata()).isEqualTo(first);
    assertThat(files().stat(at("f")).metadata()).isEqualTo(first);
    assertThat(files().list(at(""), 1).getFirst().metadata()).isEqualTo(first);
    Map<String, String> second = Map.of("author", "me");
    assertThat(withMetadata(second).metadata()).isEqualTo(second);
    FileWrite append = new FileWrite(true, Optional.empty(), Map.of());
    assertThat(files().write(at("f"), append, stream("")).metadata()).isEqualTo(second);
    assertThat(files().move(at("f"), at("g")).metadata()).isEqualTo(second);
    assertThat(write(files(), at("g"), "new").metadata()).isEmpty();
  }

  @Test
  void tooMuchMetadataIsRefusedBeforeAnythingIsWritten() {
    Map<String, String> many = new HashMap<>();
    for (int i = 0; i < 33; i++) {
      many.put("name" + i, "");
    }
    assertThatThrownBy(() -> withMetadata(many)).hasMessageContaining("at most 32");
    assertThatThrownBy(() -> withMetadata(Map.of("n", "v".repeat(4097))))
        .hasMessageContaining("4097");
    assertThatThrownBy(() -> withMetadata(Map.of("n".repeat(242), "v")))
        .isInstanceOf(ForkdException.class);
    assertThatThrownBy(() -> withMetadata(Map.of("", "v"))).isInstanceOf(ForkdException.class);
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void aFileSystemWithoutMetadataRefusesItAndTellsOfNone() throws IOException {
    FileWrite how = new FileWrite(false, Optional.empty(), Map.of("name", "value"));
    assertRefused(GuestFailure.UNFIT, () -> files().write("/proc/self/comm", how, stream("other")));
    assertThat(files().stat("/proc/version").metadata()).isEmpty();
  }

  private FileEntry withMetadata(Map<String, String> metadata) throws IOException {
    return files().write(at("f"), new FileWrite(false, Optional.empty(), metadata), stream("x"));
  }

  @Test
  void aGuestThatRefusesIsSentNoMore() {
    Endless endless = new Endless('x');
    assertRefused(
        GuestFailure.IS_A_FOLDER, () -> files().write(at(""), FileWrite.REPLACE, endless));
    assertRefused(
        GuestFailure.NO_SPACE, () -> files().write("/dev/full", FileWrite.REPLACE, endless));
    assertRefused(GuestFailure.UNFIT, () -> files().upload(at("t"), endless));
    assertThatCode(() -> files().upload(at("t"), new Endless(0))).doesNotThrowAnyException();
    assertThat(files().stat("/").type()).isEqualTo(FileEntry.Type.FOLDER);
  }

  @Test
  void aReaderAfterCloseIsToldSo() throws IOException {
    write(files(), at("f"), "x".repeat(1_000_000));
    FileContent content = files().read(at("f"), 0, OptionalLong.empty());
    InputStream stream = content.stream();
    assertThat(stream.read()).isEqualTo('x');
    content.close();
    assertThatThrownBy(stream::readAllBytes)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void aLongStreamGoesUpAndDownUnchangedAndIsNeverHeldWhole() throws Exception {
    long length = 300L << 20;
    long before = heapAfterCollection();
    LongStream up = new LongStream(length);
    assertThat(files().write(at("big"), FileWrite.REPLACE, up).size()).isEqualTo(length);
    MessageDigest down = MessageDigest.getInstance("SHA-256");
    try (FileContent content = files().read(at("big"), 0, OptionalLong.empty())) {
      assertThat(content.length()).hasValue(length);
      content.stream().transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), down));
      assertThat(heapAfterCollection() - before).isLessThan(16L << 20);
    }
    assertThat(down.digest()).isEqualTo(up.digest.digest());
  }

  private static long heapAfterCollection() {
    Runtime.getRuntime().gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  /** Mostly zeros, with something in every piece. */
  private static final class LongStream extends InputStream {
    private final MessageDigest digest;
    private long left;

    LongStream(long length) throws NoSuchAlgorithmException {
      digest = MessageDigest.getInstance("SHA-256");
      left = length;
    }

    @Override
    public int read() {
      throw new UnsupportedOperationException("one byte at a time would take for ever");
    }

    @Override
    public int read(byte[] into, int from, int length) {
      if (left == 0) {
        return -1;
      }
      int some = (int) Math.min(length, left);
      Arrays.fill(into, from, from + some, (byte) 0);
      into[from + some / 2] = (byte) ((left * 31) >>> 12);
      left -= some;
      digest.update(into, from, some);
      return some;
    }
  }

  /** Content without an end. */
  private static final class Endless extends InputStream {
    private final byte value;

    Endless(int value) {
      this.value = (byte) value;
    }

    @Override
    public int read() {
      return value;
    }

    @Override
    public int read(byte[] into, int from, int length) {
      Arrays.fill(into, from, from + length, value);
      return length;
    }
  }
}
