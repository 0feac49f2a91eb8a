package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the agent's answers to control questions. */
final class Answers {
  private Answers() {}

  /** What the agent said it did to make a fork its own. */
  record Identified(
      long guestWallNanos,
      long stepNanos,
      int entropyBytes,
      boolean reseeded,
      String sandboxId,
      String hostname,
      String machineId,
      String bootId,
      String kernelUuid,
      List<String> hooks) {}

  static AgentInfo hello(Frame frame) throws NonsenseException {
    Fields fields = new Fields(frame.payload());
    var _ = fields.i64();
    int version = fields.u16();
    String agentVersion = fields.text();
    String arch = fields.text();
    String kernel = fields.text();
    Set<String> runtimes = new HashSet<>();
    Set<String> started = new HashSet<>();
    for (int left = fields.u16(); left > 0; left--) {
      String name = fields.text();
      runtimes.add(name);
      if (fields.u8() != 0) {
        started.add(name);
      }
    }
    fields.end();
    return new AgentInfo(version, agentVersion, arch, kernel, runtimes, started);
  }

  static Identified identified(Frame frame) throws NonsenseException {
    Fields fields = body(frame, Protocol.IDENTIFIED);
    Identified identified =
        new Identified(
            fields.i64(),
            fields.i64(),
            fields.i32(),
            fields.u8() != 0,
            fields.text(),
            fields.text(),
            fields.text(),
            fields.text(),
            fields.text(),
            fields.texts());
    fields.end();
    return identified;
  }

  /** The fields after the token, once the answer is known to be of the wanted type. */
  static Fields body(Frame frame, int type) throws NonsenseException {
    Fields fields = new Fields(frame.payload());
    var _ = fields.i64();
    if (frame.type() == Protocol.FAILED) {
      int code = fields.u16();
      String step = Printable.shorten(fields.text());
      String message = Printable.shorten(fields.text());
      fields.end();
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "The guest's agent failed at '%s': %s (code %d). Its console has more."
              .formatted(step, message, code));
    }
    if (frame.type() != type) {
      throw new NonsenseException(
          "type %d answers a question that wants %d".formatted(frame.type(), type));
    }
    return fields;
  }
}
