package io.forkd.image;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * What a kernel module says it needs before it can be loaded.
 *
 * @param depends modules it cannot do without
 * @param wishes modules it would like loaded first, as its softdep says
 */
record Modinfo(List<String> depends, List<String> wishes) {
  private static final int ELF_HEADER = 64;
  private static final int SECTION_HEADER = 64;

  /** Reads the .modinfo section of a 64-bit little-endian ELF object. */
  static Modinfo read(byte[] module) {
    List<String> depends = new ArrayList<>();
    List<String> wishes = new ArrayList<>();
    for (String field : fields(module)) {
      if (field.startsWith("depends=")) {
        split(field.substring("depends=".length()), ",").forEach(depends::add);
      } else if (field.startsWith("softdep=pre:")) {
        String before = field.substring("softdep=pre:".length()).split("post:")[0];
        split(before, "\\s+").forEach(wishes::add);
      }
    }
    return new Modinfo(List.copyOf(depends), List.copyOf(wishes));
  }

  private static Stream<String> split(String text, String separator) {
    return Arrays.stream(text.strip().split(separator))
        .filter(word -> !word.isEmpty())
        .map(ModuleFolder::normalise);
  }

  private static List<String> fields(byte[] module) {
    ByteBuffer elf = ByteBuffer.wrap(module).order(ByteOrder.LITTLE_ENDIAN);
    if (module.length < ELF_HEADER || elf.getInt(0) != 0x464c457f || module[4] != 2) {
      throw new IllegalArgumentException("not a 64-bit ELF object");
    }
    try {
      long table = elf.getLong(0x28);
      int count = Short.toUnsignedInt(elf.getShort(0x3c));
      int names = section(table, Short.toUnsignedInt(elf.getShort(0x3e)));
      int nameTable = Math.toIntExact(elf.getLong(names + 0x18));
      for (int index = 0; index < count; index++) {
        int header = section(table, index);
        if (text(module, nameTable + elf.getInt(header)).equals(".modinfo")) {
          int start = Math.toIntExact(elf.getLong(header + 0x18));
          int size = Math.toIntExact(elf.getLong(header + 0x20));
          String all = new String(module, start, size, StandardCharsets.UTF_8);
          return List.of(all.split("\0+"));
        }
      }
      return List.of();
    } catch (IndexOutOfBoundsException | ArithmeticException e) {
      throw new IllegalArgumentException("a damaged ELF object", e);
    }
  }

  private static int section(long table, int index) {
    return Math.toIntExact(table + (long) index * SECTION_HEADER);
  }

  private static String text(byte[] module, int start) {
    int end = start;
    while (module[end] != 0) {
      end++;
    }
    return new String(module, start, end - start, StandardCharsets.US_ASCII);
  }
}
