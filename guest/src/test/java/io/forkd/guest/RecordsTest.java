package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The records a guest tells, in pieces of any size, whole, torn, too many or wrong. */
class RecordsTest {
  @Test
  void piecesOfAnySizeGiveTheSameRecords() throws NonsenseException {
    Payload wire = new Payload();
    for (int i = 0; i < 50; i++) {
      wire.bytes(entry("/file" + "x".repeat(i)).toByteArray());
    }
    byte[] bytes = wire.toByteArray();
    for (int piece : new int[] {1, 3, 64, 1000, bytes.length}) {
      Records<GuestEntry> records = new Records<>(Told::entry, Told::heap);
      for (int at = 0; at < bytes.length; at += piece) {
        records.take(Arrays.copyOfRange(bytes, at, Math.min(bytes.length, at + piece)));
      }
      assertThat(records.whole()).hasSize(50).last().extracting(GuestEntry::size).isEqualTo(7L);
    }
  }

  @Test
  void aTornEndIsNonsense() throws NonsenseException {
    Records<GuestEntry> records = new Records<>(Told::entry, Told::heap);
    byte[] bytes = new Payload().bytes(entry("/a").toByteArray()).toByteArray();
    records.take(Arrays.copyOf(bytes, bytes.length - 1));
    assertThatThrownBy(records::whole).isInstanceOf(NonsenseException.class);
  }

  @Test
  void moreThanForkdCanHoldIsRefusedWithoutHoldingIt() throws NonsenseException {
    Records<Integer> records = new Records<>(fields -> 1, one -> 16);
    Payload wire = new Payload();
    for (int i = 0; i < 1000; i++) {
      wire.i32(0);
    }
    byte[] thousand = wire.toByteArray();
    for (int i = 0; i < Records.MOST_RECORDS / 1000; i++) {
      records.take(thousand);
    }
    assertTooMuch(records, thousand);
  }

  @Test
  void namesThatGrowWhenTheyAreSpelledOutCountAsTheyAreKept() throws NonsenseException {
    Records<GuestEntry> records = new Records<>(Told::entry, Told::heap);
    byte[] path = new byte[4000];
    Arrays.fill(path, (byte) 0xff);
    path[0] = '/';
    Payload one = entry(1, 0644, 7, 1, path, new byte[0], new byte[32]);
    byte[] wire = new Payload().bytes(one.toByteArray()).toByteArray();
    for (long kept = 0; kept + 40_000 < Records.MOST_HEAP; kept += 40_000) {
      records.take(wire);
    }
    byte[] many = new byte[wire.length * 1000];
    for (int i = 0; i < 1000; i++) {
      System.arraycopy(wire, 0, many, i * wire.length, wire.length);
    }
    assertTooMuch(records, many);
  }

  private static void assertTooMuch(Records<?> records, byte[] more) {
    assertThatThrownBy(() -> records.take(more))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED))
        .hasMessageContaining("more than");
  }

  @Test
  void whatCannotBeIsNonsense() {
    byte[] path = "/a".getBytes(StandardCharsets.UTF_8);
    byte[] none = {};
    byte[] digest = new byte[32];
    for (Payload wrong :
        List.of(
            entry(9, 0, 7, 1, path, none, digest),
            entry(0, 0, 0, -1, path, none, none),
            entry(1, 010000, 7, 1, path, none, digest),
            entry(1, 0, -7, 1, path, none, digest),
            entry(1, 0, 7, 1 << 30, path, none, digest),
            entry(1, 0, 7, -2, path, none, digest),
            entry(2, 0, 0, 1, path, none, none),
            entry(2, 0, 0, -1, path, none, digest),
            entry(1, 0, 7, 1, path, none, new byte[31]),
            entry(3, 0, 7, -1, path, new byte[5000], none),
            entry(1, 0, 7, 1, none, none, digest),
            entry(1, 0, 7, 1, "a".getBytes(StandardCharsets.UTF_8), none, digest),
            entry(1, 0, 7, 1, "/a/../b".getBytes(StandardCharsets.UTF_8), none, digest),
            entry(1, 0, 7, 1, new byte[] {'/', 0}, none, digest),
            entry("/a").u8(0))) {
      Records<GuestEntry> records = new Records<>(Told::entry, Told::heap);
      byte[] wire = new Payload().bytes(wrong.toByteArray()).toByteArray();
      assertThatThrownBy(() -> records.take(wire)).isInstanceOf(NonsenseException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void mutatedRecordsAreReadOrNonsenseAndNothingElse(long seed) {
    Random random = new Random(seed);
    int read = 0;
    for (int i = 0; i < 20_000; i++) {
      boolean ofEntry = random.nextBoolean();
      Payload right =
          ofEntry
              ? entry("/some/path")
              : new Payload().i32(5).i32(1).text("sh").bytes(new byte[] {'s', 'h', 0, '-', 'c', 0});
      byte[] wire = new Payload().bytes(right.toByteArray()).toByteArray();
      for (int flips = random.nextInt(3); flips >= 0; flips--) {
        wire[random.nextInt(wire.length)] = (byte) random.nextInt(256);
      }
      Records<?> records =
          ofEntry
              ? new Records<>(Told::entry, Told::heap)
              : new Records<>(Told::process, Told::heap);
      try {
        records.take(wire);
        read += records.whole().size();
      } catch (NonsenseException e) {
        assertThat(e).hasMessageNotContaining("null");
      }
    }
    assertThat(read).isPositive();
  }

  static Payload entry(String path) {
    return entry(1, 0644, 7, 1, path.getBytes(StandardCharsets.UTF_8), new byte[0], new byte[32]);
  }

  static Payload entry(
      int type, int mode, long size, int lines, byte[] path, byte[] target, byte[] digest) {
    return new Payload()
        .u8(type)
        .u8(0)
        .u16(mode)
        .i32(0)
        .i32(0)
        .i64(size)
        .i32(lines)
        .bytes(path)
        .bytes(target)
        .bytes(digest);
  }
}
