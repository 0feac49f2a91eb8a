package io.forkd.guest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Reads what a guest tells about one path or one process; what cannot be is nonsense. */
final class Told {
  private static final int ABSENT = 0;
  private static final int OPAQUE = 1;
  private static final int NOT_TEXT = -1;
  private static final int MOST_LINES = 1 << 20;
  private static final int DIGEST_BYTES = 32;
  private static final int MODE_BITS = 07777;
  private static final int LONGEST_NAME = 64;

  private Told() {}

  /** About what an entry takes of the heap. */
  static long heap(GuestEntry entry) {
    return 200 + 2L * (entry.path().length() + entry.target().map(String::length).orElse(0));
  }

  static long heap(GuestProcess process) {
    long arguments = process.command().stream().mapToLong(it -> 64 + 2L * it.length()).sum();
    return 200 + 2L * process.name().length() + arguments;
  }

  /** An entry of a walk. */
  static GuestEntry entry(Fields fields) throws NonsenseException {
    Raw raw = Raw.of(fields);
    if (!GuestPath.isPlain(raw.path) || raw.type == ABSENT) {
      throw new NonsenseException("a walk came upon what is no path, or absent");
    }
    return raw.entry();
  }

  /** What is at a path that was asked for; empty when nothing is. */
  static Optional<GuestEntry> answer(Fields fields, byte[] asked) throws NonsenseException {
    Raw raw = Raw.of(fields);
    if (!Arrays.equals(raw.path, asked)) {
      throw new NonsenseException("it answered for another path than it was asked for");
    }
    return raw.type == ABSENT ? Optional.empty() : Optional.of(raw.entry());
  }

  /** An entry as it is on the wire. */
  private record Raw(
      int type,
      int flags,
      int mode,
      int uid,
      int gid,
      long size,
      int lines,
      byte[] path,
      byte[] target,
      byte[] digest) {
    static Raw of(Fields fields) throws NonsenseException {
      return new Raw(
          fields.u8(),
          fields.u8(),
          fields.u16(),
          fields.i32(),
          fields.i32(),
          fields.i64(),
          fields.i32(),
          fields.bytes(),
          fields.bytes(),
          fields.bytes());
    }

    GuestEntry entry() throws NonsenseException {
      GuestEntry.Type is = typeOf(type);
      boolean file = is == GuestEntry.Type.FILE;
      boolean digested = digest.length == DIGEST_BYTES;
      boolean text = lines != NOT_TEXT;
      if (mode > MODE_BITS
          || size < 0
          || target.length > GuestPath.LONGEST
          || (digest.length > 0 && !(file && digested))
          || (text && !(file && lines >= 0 && lines <= MOST_LINES))) {
        throw new NonsenseException("an entry of type %d is not as entries are".formatted(type));
      }
      return new GuestEntry(
          GuestText.of(path),
          is,
          mode,
          Integer.toUnsignedLong(uid),
          Integer.toUnsignedLong(gid),
          size,
          text ? OptionalInt.of(lines) : OptionalInt.empty(),
          digested ? Optional.of(HexFormat.of().formatHex(digest)) : Optional.empty(),
          target.length > 0 ? Optional.of(GuestText.of(target)) : Optional.empty(),
          (flags & OPAQUE) != 0);
    }
  }

  private static GuestEntry.Type typeOf(int number) throws NonsenseException {
    return switch (number) {
      case 1 -> GuestEntry.Type.FILE;
      case 2 -> GuestEntry.Type.DIRECTORY;
      case 3 -> GuestEntry.Type.SYMLINK;
      case 4 -> GuestEntry.Type.REMOVED;
      case 5 -> GuestEntry.Type.FIFO;
      case 6 -> GuestEntry.Type.SOCKET;
      case 7 -> GuestEntry.Type.CHAR_DEVICE;
      case 8 -> GuestEntry.Type.BLOCK_DEVICE;
      default -> throw new NonsenseException("an entry of unknown type " + number);
    };
  }

  static GuestProcess process(Fields fields) throws NonsenseException {
    long pid = Integer.toUnsignedLong(fields.i32());
    long parent = Integer.toUnsignedLong(fields.i32());
    byte[] name = fields.bytes();
    if (name.length > LONGEST_NAME) {
      throw new NonsenseException("a process's name has %d bytes".formatted(name.length));
    }
    return new GuestProcess(pid, parent, GuestText.of(name), arguments(fields.bytes()));
  }

  /** A command line is its arguments, each ended by a zero byte unless it was cut off. */
  private static List<String> arguments(byte[] command) {
    List<String> arguments = new ArrayList<>();
    int from = 0;
    for (int i = 0; i < command.length; i++) {
      if (command[i] == 0) {
        arguments.add(GuestText.of(Arrays.copyOfRange(command, from, i)));
        from = i + 1;
      }
    }
    if (from < command.length) {
      arguments.add(GuestText.of(Arrays.copyOfRange(command, from, command.length)));
    }
    return arguments;
  }
}
