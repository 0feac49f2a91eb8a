package io.forkd.core.net;

import java.util.Arrays;

/** A place in a message that is read onwards, never beyond its end. */
final class DnsReader {
  private final byte[] message;
  private int position;

  DnsReader(byte[] message, int position) {
    this.message = message;
    this.position = position;
  }

  int position() {
    return position;
  }

  void moveTo(int target) {
    position = target;
  }

  int unsignedByte() throws DnsFormatException {
    require(1);
    return message[position++] & 0xff;
  }

  int unsignedShort() throws DnsFormatException {
    return unsignedByte() << Byte.SIZE | unsignedByte();
  }

  long unsignedInt() throws DnsFormatException {
    return (long) unsignedShort() << Short.SIZE | unsignedShort();
  }

  byte[] bytes(int count) throws DnsFormatException {
    require(count);
    position += count;
    return Arrays.copyOfRange(message, position - count, position);
  }

  private void require(int count) throws DnsFormatException {
    if (count > message.length - position) {
      throw new DnsFormatException("the message ends too early");
    }
  }
}
