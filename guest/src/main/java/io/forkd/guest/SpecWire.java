package io.forkd.guest;

import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A program to start as the agent reads it. */
final class SpecWire {
  private static final int WITH_INPUT = 1;
  private static final int WITH_TERMINAL = 2;
  private static final int MOST_TEXTS = 4096;
  private static final long LONGEST_MILLIS = 0xffffffffL;

  private final ProcessSpec spec;

  SpecWire(ProcessSpec spec) {
    this.spec = spec;
  }

  Payload open() {
    int flags = (spec.stdin() ? WITH_INPUT : 0) | (spec.terminal().isPresent() ? WITH_TERMINAL : 0);
    TerminalSize size = spec.terminal().orElse(new TerminalSize(0, 0));
    List<String> env =
        spec.env().entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
    check("arguments", spec.args());
    check("environment", env);
    check("folder, user or tag", texts());
    return new Payload()
        .u8(Protocol.KIND_PROCESS)
        .u8(flags)
        .u16(size.columns())
        .u16(size.rows())
        .texts(spec.args())
        .texts(env)
        .text(spec.cwd().orElse(""))
        .text(spec.user().orElse(""))
        .text(spec.tag().orElse(""))
        .i32((int) millis());
  }

  private List<String> texts() {
    return Stream.of(spec.cwd(), spec.user(), spec.tag()).flatMap(Optional::stream).toList();
  }

  /** A time that has passed already kills at once, and 0 would mean never. */
  private long millis() {
    return spec.timeout().map(SpecWire::millis).orElse(0L);
  }

  private static long millis(Duration timeout) {
    return Math.clamp(timeout.toMillis(), 1, LONGEST_MILLIS);
  }

  private static void check(String what, List<String> texts) {
    if (texts.size() > MOST_TEXTS) {
      throw ForkdException.badRequest(
          "The %s of a process has %d entries; at most %d are possible.",
          what, texts.size(), MOST_TEXTS);
    }
    if (texts.stream().anyMatch(text -> text.indexOf('\0') >= 0)) {
      throw ForkdException.badRequest(
          "The %s of a process holds a NUL, which no program can be given.", what);
    }
  }
}
