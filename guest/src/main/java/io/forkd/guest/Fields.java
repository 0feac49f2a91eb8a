package io.forkd.guest;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Reads the fields of a payload; whatever is missing or left over is nonsense. */
final class Fields {
  private final ByteBuffer in;

  Fields(byte[] payload) {
    in = ByteBuffer.wrap(payload).order(ByteOrder.LITTLE_ENDIAN);
  }

  int u8() throws NonsenseException {
    need(1);
    return in.get() & 0xff;
  }

  int u16() throws NonsenseException {
    need(2);
    return in.getShort() & 0xffff;
  }

  int i32() throws NonsenseException {
    need(4);
    return in.getInt();
  }

  long i64() throws NonsenseException {
    need(8);
    return in.getLong();
  }

  String text() throws NonsenseException {
    return new String(bytes(), StandardCharsets.UTF_8);
  }

  byte[] bytes() throws NonsenseException {
    int length = i32();
    if (length < 0 || length > in.remaining()) {
      throw new NonsenseException("a field announces %d bytes".formatted(length));
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }

  List<String> texts() throws NonsenseException {
    int count = u16();
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      texts.add(text());
    }
    return texts;
  }

  void end() throws NonsenseException {
    if (in.hasRemaining()) {
      throw new NonsenseException("%d bytes after the last field".formatted(in.remaining()));
    }
  }

  private void need(int bytes) throws NonsenseException {
    if (in.remaining() < bytes) {
      throw new NonsenseException("a field is missing");
    }
  }
}
