package io.forkd.core.net;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** DNS messages by hand. */
final class DnsBytes {
  private DnsBytes() {}

  static byte[] nameBytes(String name) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    if (!name.isEmpty()) {
      for (String label : name.split("\\.", -1)) {
        out.write(label.length());
        out.writeBytes(label.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    out.write(0);
    return out.toByteArray();
  }

  static DnsName name(String name) {
    try {
      return DnsName.read(new DnsReader(nameBytes(name), 0));
    } catch (DnsFormatException e) {
      throw new AssertionError(e);
    }
  }

  static DnsMessage.Question question(String name, int type) {
    return new DnsMessage.Question(name(name), type, DnsMessage.IN);
  }

  static byte[] query(String name, int type) {
    return DnsReply.query(4711, question(name, type), false);
  }
}
