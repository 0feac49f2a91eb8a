package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What an agent makes of a file's content: its digest, and its lines when it is text. */
@Timeout(300)
class FileContentTest {
  private static final int MIB = 1 << 20;

  @TempDir static Path folder;
  private static HostAgent host;
  private static Agent agent;

  @BeforeAll
  static void start() {
    host = HostAgent.start();
    agent = host.connect();
  }

  @AfterAll
  static void stop() throws InterruptedException {
    agent.close();
    host.assertCleanExit();
    host.close();
  }

  @ParameterizedTest
  @CsvSource({
    "'', 1, e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "abc, 1, ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq, 1,"
        + " 248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
    "a, 1000000, cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
  })
  void digestsAreThoseOfTheStandard(String piece, int times, String digest) throws IOException {
    assertThat(look(piece.repeat(times).getBytes(StandardCharsets.UTF_8)).digest())
        .contains(digest);
  }

  @Test
  void digestsAreTheJdksForEveryLengthAroundABlock() throws IOException {
    Random random = new Random(1);
    List<byte[]> contents = new ArrayList<>();
    for (int length = 0; length < 260; length++) {
      contents.add(CobsTest.randomBytes(random, length));
    }
    for (int length : new int[] {32_767, 32_768, 32_769, 3 * MIB + 1}) {
      contents.add(CobsTest.randomBytes(random, length));
    }
    assertThat(look(contents))
        .extracting(entry -> entry.digest().orElseThrow())
        .isEqualTo(contents.stream().map(Digests::sha256).toList());
  }

  @Test
  void linesAreCountedAsPeopleCountThem() throws IOException {
    assertThat(lines("")).hasValue(0);
    assertThat(lines("one")).hasValue(1);
    assertThat(lines("one\n")).hasValue(1);
    assertThat(lines("one\ntwo")).hasValue(2);
    assertThat(lines("\n\n")).hasValue(2);
    assertThat(lines("é€😀\r\n")).hasValue(1);
  }

  @Test
  void textHasNoEarlyNulAndIsNotLong() throws IOException {
    byte[] text = "x".repeat(10_000).getBytes(StandardCharsets.UTF_8);
    text[8191] = 0;
    assertThat(look(text).lines()).isEmpty();
    text[8191] = 'x';
    text[8192] = 0;
    assertThat(look(text).lines()).hasValue(1);
    byte[] longest = new byte[MIB];
    Arrays.fill(longest, (byte) '\n');
    assertThat(look(longest).lines()).hasValue(MIB);
    assertThat(look(Arrays.copyOf(longest, MIB + 1)).lines()).isEmpty();
  }

  @Test
  void textIsWhatTheJdkTakesForUtf8() throws IOException {
    Random random = new Random(2);
    int[] notable = {0x61, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xdf};
    int[] leaders = {0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff};
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      byte[] content = new byte[1 + random.nextInt(4)];
      content[0] = (byte) leaders[random.nextInt(leaders.length)];
      for (int j = 1; j < content.length; j++) {
        content[j] = (byte) notable[random.nextInt(notable.length)];
      }
      contents.add(content);
    }
    contents.add("é€😀퟿".getBytes(StandardCharsets.UTF_8));
    List<Boolean> expected = contents.stream().map(FileContentTest::isUtf8).toList();
    assertThat(expected).contains(true, false);
    assertThat(look(contents)).extracting(entry -> entry.lines().isPresent()).isEqualTo(expected);
  }

  @Test
  void aHugeFileOfHolesIsLookedAtInNoTimeAndByItsContentAlone() throws IOException {
    Path holes = folder.resolve("holes");
    Path zeros = folder.resolve("zeros");
    Path other = folder.resolve("other");
    for (Path file : List.of(holes, zeros, other)) {
      try (RandomAccessFile out = new RandomAccessFile(file.toFile(), "rw")) {
        out.setLength(1L << 36);
        out.seek(5_000_000_001L);
        out.writeByte(file.equals(other) ? 8 : 7);
        out.seek(6_000_000_000L);
        out.write(new byte[file.equals(zeros) ? 100_000 : 0]);
      }
    }
    List<GuestEntry> told =
        agent.describe(List.of(holes.toString(), zeros.toString(), other.toString()), PATIENCE);
    assertThat(told).extracting(GuestEntry::size).containsOnly(1L << 36);
    assertThat(told.get(0).digest()).isPresent().isEqualTo(told.get(1).digest());
    assertThat(told.get(0).digest()).isNotEqualTo(told.get(2).digest());
  }

  private static OptionalInt lines(String content) throws IOException {
    return look(content.getBytes(StandardCharsets.UTF_8)).lines();
  }

  private static GuestEntry look(byte[] content) throws IOException {
    return look(List.of(content)).getFirst();
  }

  private static List<GuestEntry> look(List<byte[]> contents) throws IOException {
    List<String> paths = new ArrayList<>();
    for (byte[] content : contents) {
      paths.add(Files.write(folder.resolve("file" + paths.size()), content).toString());
    }
    return agent.describe(paths, PATIENCE);
  }

  private static boolean isUtf8(byte[] content) {
    try {
      StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
      return true;
    } catch (CharacterCodingException e) {
      return false;
    }
  }
}
