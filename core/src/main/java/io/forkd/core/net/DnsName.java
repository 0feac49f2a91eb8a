package io.forkd.core.net;

import java.io.ByteArrayOutputStream;

/** A domain name as it stood in a message, without compression. */
final class DnsName {
  private static final int LONGEST = 255;
  private static final int LONGEST_LABEL = 63;
  private static final int POINTER = 0xc0;
  private static final String PLAIN = "abcdefghijklmnopqrstuvwxyz0123456789-_";

  private final byte[] wire;
  private final String text;

  private DnsName(byte[] wire, String text) {
    this.wire = wire;
    this.text = text;
  }

  /**
   * Reads a name and moves the reader behind it.
   *
   * <p>A pointer must lead to a place before all that was read of the name so far, so that reading
   * ends whatever the message says.
   */
  static DnsName read(DnsReader reader) throws DnsFormatException {
    ByteArrayOutputStream wire = new ByteArrayOutputStream();
    StringBuilder text = new StringBuilder();
    int lowest = reader.position();
    int after = -1;
    while (true) {
      int length = reader.unsignedByte();
      if (length >= POINTER) {
        int target = (length & ~POINTER) << Byte.SIZE | reader.unsignedByte();
        if (target >= lowest) {
          throw new DnsFormatException("a name points forward or to itself");
        }
        after = after < 0 ? reader.position() : after;
        lowest = target;
        reader.moveTo(target);
        continue;
      }
      if (length > LONGEST_LABEL) {
        throw new DnsFormatException("a label has an unknown type");
      }
      wire.write(length);
      if (length == 0) {
        break;
      }
      byte[] label = reader.bytes(length);
      wire.write(label, 0, label.length);
      if (wire.size() >= LONGEST) {
        throw new DnsFormatException("a name is too long");
      }
      appendLabel(text, label);
    }
    if (after >= 0) {
      reader.moveTo(after);
    }
    return new DnsName(wire.toByteArray(), text.toString());
  }

  private static void appendLabel(StringBuilder text, byte[] label) {
    if (!text.isEmpty()) {
      text.append('.');
    }
    for (byte b : label) {
      char c = (char) (b & 0xff);
      if (c >= 'A' && c <= 'Z') {
        text.append((char) (c - 'A' + 'a'));
      } else if (PLAIN.indexOf(c) >= 0) {
        text.append(c);
      } else {
        text.append('\\').append((int) c); // no host name has it, so no pattern matches it
      }
    }
  }

  /** In lower case, without a final dot; empty for the root. */
  String text() {
    return text;
  }

  byte[] wire() {
    return wire.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DnsName name && name.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
