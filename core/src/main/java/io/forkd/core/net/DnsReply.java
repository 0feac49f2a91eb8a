package io.forkd.core.net;

import io.forkd.core.net.DnsMessage.Rcode;
import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/** An answer to one query, being written. */
final class DnsReply {
  /** What passes every path without fragments. */
  static final int UDP_MOST = 1232;

  private static final int UDP_LEAST = 512;
  private static final int COUNT_OFFSET = 6;

  /** A pointer to the question's name, which follows the header. */
  private static final int QUESTION_POINTER = 0xc000 | DnsMessage.HEADER;

  private final DnsMessage query;
  private final ByteArrayOutputStream answers = new ByteArrayOutputStream();
  private int count;
  private Rcode rcode = Rcode.OK;

  DnsReply(DnsMessage query) {
    this.query = query;
  }

  static DnsReply of(DnsMessage query, Rcode rcode) {
    return new DnsReply(query).rcode(rcode);
  }

  DnsReply rcode(Rcode code) {
    rcode = code;
    return this;
  }

  DnsReply address(DnsName owner, long ttl, long address) {
    byte[] data = new byte[Integer.BYTES];
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) (address >> (24 - Byte.SIZE * i));
    }
    return add(owner, DnsMessage.TYPE_A, ttl, data);
  }

  DnsReply alias(DnsName owner, long ttl, DnsName target) {
    return add(owner, DnsMessage.TYPE_CNAME, ttl, target.wire());
  }

  /** Takes over answers as they are: what they point to stands where it stood. */
  DnsReply answersOf(DnsMessage upstream) {
    int begin = DnsMessage.HEADER + upstream.question().size();
    answers.write(upstream.bytes(), begin, upstream.answersEnd() - begin);
    count = upstream.answers().size();
    return this;
  }

  private DnsReply add(DnsName owner, int type, long ttl, byte[] data) {
    if (owner.equals(query.question().name())) {
      putShort(answers, QUESTION_POINTER);
    } else {
      answers.writeBytes(owner.wire());
    }
    putShort(answers, type);
    putShort(answers, DnsMessage.IN);
    putShort(answers, (int) (ttl >> Short.SIZE));
    putShort(answers, (int) ttl);
    putShort(answers, data.length);
    answers.writeBytes(data);
    count++;
    return this;
  }

  /** The message, without its answers when they are more than the asker takes by UDP. */
  byte[] bytes(boolean udp) {
    int most = udp ? Math.clamp(query.udpSize().orElse(UDP_LEAST), UDP_LEAST, UDP_MOST) : 0xffff;
    byte[] whole = bytes(0, count, answers.toByteArray());
    return whole.length <= most ? whole : bytes(DnsMessage.TRUNCATED, 0, new byte[0]);
  }

  private byte[] bytes(int extraFlags, int records, byte[] body) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    putShort(out, query.id());
    putShort(
        out,
        DnsMessage.RESPONSE
            | DnsMessage.RECURSION_AVAILABLE
            | (query.flags() & (DnsMessage.OPCODE | DnsMessage.RECURSION_DESIRED))
            | extraFlags
            | rcode.number);
    putShort(out, 1);
    putShort(out, records);
    putShort(out, 0);
    putShort(out, query.udpSize().isPresent() ? 1 : 0);
    putQuestion(out, query.question());
    out.writeBytes(body);
    if (query.udpSize().isPresent()) {
      putOpt(out);
    }
    return out.toByteArray();
  }

  /** A query of our own. */
  static byte[] query(int id, DnsMessage.Question question, boolean edns) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    putShort(out, id);
    putShort(out, DnsMessage.RECURSION_DESIRED);
    putShort(out, 1);
    putShort(out, 0);
    putShort(out, 0);
    putShort(out, edns ? 1 : 0);
    putQuestion(out, question);
    if (edns) {
      putOpt(out);
    }
    return out.toByteArray();
  }

  /** Says only that a message could not be read; needs no more of it than its header. */
  static byte[] formatError(byte[] unreadable) {
    byte[] header = Arrays.copyOf(unreadable, DnsMessage.HEADER);
    header[2] = (byte) ((header[2] & 0x79) | 0x80);
    header[3] = (byte) (0x80 | Rcode.FORMAT.number);
    Arrays.fill(header, COUNT_OFFSET - 2, DnsMessage.HEADER, (byte) 0);
    return header;
  }

  private static void putQuestion(ByteArrayOutputStream out, DnsMessage.Question question) {
    out.writeBytes(question.name().wire());
    putShort(out, question.type());
    putShort(out, question.kind());
  }

  private static void putOpt(ByteArrayOutputStream out) {
    out.write(0);
    putShort(out, DnsMessage.TYPE_OPT);
    putShort(out, UDP_MOST);
    putShort(out, 0);
    putShort(out, 0);
    putShort(out, 0);
  }

  private static void putShort(ByteArrayOutputStream out, int value) {
    out.write(value >> Byte.SIZE);
    out.write(value);
  }
}
