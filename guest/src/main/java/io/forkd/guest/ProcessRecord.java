package io.forkd.guest;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads what a guest tells about a process that was started through its agent. */
final class ProcessRecord {
  private static final long NANOS = 1_000_000_000L;

  private ProcessRecord() {}

  static ProcessInfo read(Fields fields) throws NonsenseException {
    long pid = Integer.toUnsignedLong(fields.i32());
    boolean terminal = fields.u8() != 0;
    long started = fields.i64();
    boolean ended = fields.u8() != 0;
    ProcessEnd end = end(fields);
    List<String> args = fields.texts();
    Map<String, String> env = variables(fields.texts());
    String cwd = fields.text();
    String user = fields.text();
    String tag = fields.text();
    return new ProcessInfo(
        pid,
        args,
        env,
        cwd,
        user,
        tag.isEmpty() ? Optional.empty() : Optional.of(tag),
        terminal,
        Instant.ofEpochSecond(Math.floorDiv(started, NANOS), Math.floorMod(started, NANOS)),
        ended ? Optional.of(end) : Optional.empty());
  }

  /** How a process ended, as a RESULT says it too. */
  static ProcessEnd end(Fields fields) throws NonsenseException {
    int how = fields.u8();
    int value = fields.i32();
    boolean timedOut = fields.u8() != 0;
    return switch (how) {
      case 0 -> new ProcessEnd.Exited(value);
      case 1 -> new ProcessEnd.Signalled(value, timedOut);
      default -> throw new NonsenseException("a process that ended in way " + how);
    };
  }

  /** The agent cuts off what is long, so the last one may lack its value. */
  private static Map<String, String> variables(List<String> entries) {
    Map<String, String> variables = new LinkedHashMap<>();
    for (String entry : entries) {
      int equals = entry.indexOf('=');
      variables.put(
          equals < 0 ? entry : entry.substring(0, equals),
          equals < 0 ? "" : entry.substring(equals + 1));
    }
    return variables;
  }

  /** About what one takes of the heap. */
  static long heap(ProcessInfo process) {
    long args = process.args().stream().mapToLong(it -> 64 + 2L * it.length()).sum();
    long env =
        process.env().entrySet().stream()
            .mapToLong(it -> 160 + 2L * (it.getKey().length() + it.getValue().length()))
            .sum();
    return 400 + args + env + 2L * (process.cwd().length() + process.user().length());
  }
}
