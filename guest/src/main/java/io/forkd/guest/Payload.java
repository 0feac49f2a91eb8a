package io.forkd.guest;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collection;

/** A payload under construction. */
final class Payload {
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  Payload u8(int value) {
    out.write(value);
    return this;
  }

  Payload u16(int value) {
    return u8(value).u8(value >>> 8);
  }

  Payload i32(int value) {
    return u16(value).u16(value >>> 16);
  }

  Payload i64(long value) {
    return i32((int) value).i32((int) (value >>> 32));
  }

  Payload bytes(byte[] value) {
    i32(value.length);
    out.writeBytes(value);
    return this;
  }

  Payload raw(byte[] value, int from, int length) {
    out.write(value, from, length);
    return this;
  }

  Payload text(String value) {
    return bytes(value.getBytes(StandardCharsets.UTF_8));
  }

  Payload texts(Collection<String> values) {
    u16(values.size());
    values.forEach(this::text);
    return this;
  }

  int size() {
    return out.size();
  }

  byte[] toByteArray() {
    return out.toByteArray();
  }
}
