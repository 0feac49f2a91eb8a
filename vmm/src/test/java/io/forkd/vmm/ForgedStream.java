package io.forkd.vmm;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Writes a migration stream piece by piece, as QEMU would or as it never would. */
final class ForgedStream {
  static final int ZERO = 0x02;
  static final int PAGE = 0x08;
  static final int SAME_BLOCK = 0x20;
  static final int SECTION = 2;

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private final DataOutputStream out = new DataOutputStream(bytes);

  private interface Step {
    void run() throws IOException;
  }

  private ForgedStream with(Step step) {
    try {
      step.run();
      return this;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Up to the names and sizes of memory blocks, whose sum is given. */
  ForgedStream head(long total) {
    return u32(0x5145564d).u32(3).u8(1).u32(SECTION).name("ram").u32(0).u32(4).u64(total | 0x04);
  }

  ForgedStream block(String name, long size) {
    return name(name).u64(size);
  }

  ForgedStream part(int kind) {
    return u8(kind).u32(SECTION);
  }

  ForgedStream page(String block, long offset, int fill) {
    return u64(offset | PAGE).name(block).filled(fill);
  }

  ForgedStream filled(int fill) {
    byte[] page = new byte[PageSink.PAGE];
    java.util.Arrays.fill(page, (byte) fill);
    return with(() -> out.write(page));
  }

  ForgedStream endOfPart() {
    return u64(0x10);
  }

  ForgedStream footer() {
    return u8(0x7e).u32(SECTION);
  }

  ForgedStream u8(int value) {
    return with(() -> out.writeByte(value));
  }

  ForgedStream u32(int value) {
    return with(() -> out.writeInt(value));
  }

  ForgedStream u64(long value) {
    return with(() -> out.writeLong(value));
  }

  ForgedStream name(String name) {
    byte[] text = name.getBytes(StandardCharsets.ISO_8859_1);
    return u8(text.length).with(() -> out.write(text));
  }

  byte[] bytes() {
    return bytes.toByteArray();
  }
}
