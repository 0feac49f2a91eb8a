package io.forkd.bench;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Writes the archives the kernel unpacks at boot ("newc"). */
final class CpioWriter {
  private static final int FOLDER = 0040755;
  private static final int PROGRAM = 0100755;
  private static final int ALIGN = 4;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private int inode;

  CpioWriter folder(String name) {
    return entry(name, FOLDER, new byte[0]);
  }

  CpioWriter program(String name, byte[] content) {
    return entry(name, PROGRAM, content);
  }

  byte[] finish() {
    entry("TRAILER!!!", 0, new byte[0]);
    return out.toByteArray();
  }

  private CpioWriter entry(String name, int mode, byte[] content) {
    byte[] nameBytes = (name + "\0").getBytes(StandardCharsets.UTF_8);
    StringBuilder header = new StringBuilder("070701");
    int[] fields = {++inode, mode, 0, 0, 1, 0, content.length, 0, 0, 0, 0, nameBytes.length, 0};
    for (int field : fields) {
      header.append("%08X".formatted(field));
    }
    write(header.toString().getBytes(StandardCharsets.US_ASCII));
    write(nameBytes);
    pad();
    write(content);
    pad();
    return this;
  }

  private void write(byte[] bytes) {
    out.write(bytes, 0, bytes.length);
  }

  private void pad() {
    while (out.size() % ALIGN != 0) {
      out.write(0);
    }
  }
}
