package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The smallest ELF object that is a kernel module as far as {@link Modinfo} cares. */
final class TestModule {
  private static final String NAMES = "\0.modinfo\0.shstrtab\0";

  private TestModule() {}

  static byte[] make(String... fields) {
    byte[] modinfo = (String.join("\0", fields) + "\0").getBytes(US_ASCII);
    int names = 64 + 3 * 64;
    byte[] bytes = new byte[names + NAMES.length() + modinfo.length];
    ByteBuffer elf = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    elf.putInt(0, 0x464c457f).put(4, (byte) 2).putLong(0x28, 64);
    elf.putShort(0x3a, (short) 64).putShort(0x3c, (short) 3).putShort(0x3e, (short) 2);
    int data = names + NAMES.length();
    elf.putInt(128, 1).putLong(128 + 0x18, data).putLong(128 + 0x20, modinfo.length);
    elf.putInt(192, 10).putLong(192 + 0x18, names).putLong(192 + 0x20, NAMES.length());
    elf.put(names, NAMES.getBytes(US_ASCII)).put(data, modinfo);
    return bytes;
  }
}
