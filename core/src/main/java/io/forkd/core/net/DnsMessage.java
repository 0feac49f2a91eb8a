package io.forkd.core.net;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/**
 * A DNS message with one question, as RFC 1035 has it.
 *
 * @param bytes the whole message
 * @param answersEnd where its answers end, and with them what may be passed on
 * @param udpSize what the sender can take by UDP, when it speaks EDNS
 */
record DnsMessage(
    byte[] bytes,
    int id,
    int flags,
    Question question,
    List<Answer> answers,
    int answersEnd,
    OptionalInt udpSize) {
  static final int HEADER = 12;
  static final int RESPONSE = 0x8000;
  static final int TRUNCATED = 0x0200;
  static final int RECURSION_DESIRED = 0x0100;
  static final int RECURSION_AVAILABLE = 0x0080;
  static final int OPCODE = 0x7800;
  static final int RCODE = 0x000f;

  static final int IN = 1;
  static final int TYPE_A = 1;
  static final int TYPE_CNAME = 5;
  static final int TYPE_AAAA = 28;
  static final int TYPE_OPT = 41;
  static final int TYPE_SVCB = 64;
  static final int TYPE_HTTPS = 65;

  /** Types from here on ask for more than records: transfers, everything. */
  static final int FIRST_QUERY_TYPE = 128;

  private static final int MOST_RECORDS = 1024;

  /**
   * What is asked for.
   *
   * @param kind its class
   */
  record Question(DnsName name, int type, int kind) {
    int size() {
      return name.wire().length + 2 * Short.BYTES;
    }
  }

  /**
   * One record of the answer section.
   *
   * @param kind its class
   * @param data where its data begins
   */
  record Answer(DnsName name, int type, int kind, long ttl, int data, int length) {}

  DnsMessage {
    answers = List.copyOf(answers);
  }

  static DnsMessage parse(byte[] bytes) throws DnsFormatException {
    DnsReader reader = new DnsReader(bytes, 0);
    int id = reader.unsignedShort();
    int flags = reader.unsignedShort();
    int questions = reader.unsignedShort();
    int answerCount = reader.unsignedShort();
    int others = reader.unsignedShort();
    int additional = reader.unsignedShort();
    if (questions != 1 || answerCount + others + additional > MOST_RECORDS) {
      throw new DnsFormatException("%d questions".formatted(questions));
    }
    Question question =
        new Question(DnsName.read(reader), reader.unsignedShort(), reader.unsignedShort());
    if (reader.position() != HEADER + question.size()) {
      throw new DnsFormatException("the question is compressed");
    }
    List<Answer> answers = new ArrayList<>();
    for (int i = 0; i < answerCount; i++) {
      answers.add(answer(reader));
    }
    int answersEnd = reader.position();
    OptionalInt udpSize = OptionalInt.empty();
    for (int i = 0; i < others + additional; i++) {
      Answer extra = answer(reader);
      if (extra.type() == TYPE_OPT) {
        udpSize = OptionalInt.of(extra.kind());
      }
    }
    return new DnsMessage(bytes, id, flags, question, answers, answersEnd, udpSize);
  }

  private static Answer answer(DnsReader reader) throws DnsFormatException {
    DnsName name = DnsName.read(reader);
    int type = reader.unsignedShort();
    int kind = reader.unsignedShort();
    long ttl = reader.unsignedInt();
    int length = reader.unsignedShort();
    int data = reader.position();
    reader.bytes(length);
    return new Answer(name, type, kind, ttl, data, length);
  }

  boolean isResponse() {
    return (flags & RESPONSE) != 0;
  }

  boolean isTruncated() {
    return (flags & TRUNCATED) != 0;
  }

  int opcode() {
    return flags & OPCODE;
  }

  Rcode rcode() {
    return Rcode.of(flags & RCODE);
  }

  /** The address of an A record. */
  long address(Answer answer) throws DnsFormatException {
    if (answer.length() != Integer.BYTES) {
      throw new DnsFormatException("an address of %d bytes".formatted(answer.length()));
    }
    return new DnsReader(bytes, answer.data()).unsignedInt();
  }

  /** The name a CNAME record leads to. */
  DnsName target(Answer answer) throws DnsFormatException {
    return DnsName.read(new DnsReader(bytes, answer.data()));
  }

  /** How a query ended. */
  enum Rcode {
    OK(0),
    FORMAT(1),
    FAILED(2),
    NO_SUCH_NAME(3),
    NOT_IMPLEMENTED(4),
    REFUSED(5),
    OTHER(2);

    final int number;

    Rcode(int number) {
      this.number = number;
    }

    static Rcode of(int number) {
      for (Rcode code : values()) {
        if (code.number == number) {
          return code;
        }
      }
      return OTHER;
    }
  }
}
