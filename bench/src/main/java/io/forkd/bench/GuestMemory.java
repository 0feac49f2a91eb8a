package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.EvalOutcome;
import io.forkd.client.ForkdClient;
import java.time.Duration;
import java.util.Optional;

/**
 * A block of memory that a sandbox's Python has written and keeps; children of a branch have it
 * too, and can write it anew.
 */
final class GuestMemory {
  /** What the guest must have left, or its kernel would end the Python that holds the block. */
  static final int RESERVE_MIB = 32;

  /** A guest that was told to write does so at its pace after this. */
  static final Duration FULL_SWING = Duration.ofMillis(250);

  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final int WORDS_PER_MIB_SHIFT = 17;

  /** The words of all pages differ, so that neither zeroes nor equal pages can be saved on. */
  private static final String CLASS =
      """
      import threading, time
      class _ForkdBench:
          PIECE = 1 << 17
          WINDOW = 8 << 17
          def __init__(self, mib):
              self.words = numpy.empty(mib << 17, numpy.uint64)
              self.written = 0
              self.pace = 0
              self.writing = threading.Event()
              self.writer = None
              self.fill(1)
          def fill(self, seed):
              for at in range(0, len(self.words), self.PIECE):
                  count = numpy.arange(at + seed, at + seed + self.PIECE, dtype=numpy.uint64)
                  self.words[at:at + self.PIECE] = count * numpy.uint64(0x9E3779B97F4A7C15)
          def write(self, words_per_second):
              self.pace = words_per_second
              self.writing.set()
              if self.writer is None:
                  self.writer = threading.Thread(target=self.keep_writing, daemon=True)
                  self.writer.start()
              return self.written
          def rest(self):
              self.writing.clear()
              return self.written
          def keep_writing(self):
              window = self.words[:self.WINDOW]
              at, last = 0, time.monotonic()
              while True:
                  if not self.writing.is_set():
                      self.writing.wait()
                      last = time.monotonic()
                  now = time.monotonic()
                  end = min(at + int(min(now - last, 0.1) * self.pace), len(window))
                  window[at:end] += numpy.uint64(1)
                  self.written += end - at
                  at, last = end % len(window), now
                  time.sleep(0.01)
      """;

  private static final String AVAILABLE =
      """
      import re
      int(re.search(r"MemAvailable: +(\\d+)", open("/proc/meminfo").read()).group(1)) >> 10
      """;

  private final ForkdClient client;
  private final String sandbox;
  private final int mib;

  private GuestMemory(ForkdClient client, String sandbox, int mib) {
    this.client = client;
    this.sandbox = sandbox;
    this.mib = mib;
  }

  /** Writes a block of that size, or says why the guest has no room for it. */
  static Fit fill(ForkdClient client, String sandbox, int mib) {
    GuestMemory memory = new GuestMemory(client, sandbox, mib);
    long available = memory.number(AVAILABLE);
    if (mib + RESERVE_MIB > available) {
      return new Fit(
          Optional.empty(),
          "does not fit: %d MiB are available in the guest and %d stay free"
              .formatted(available, RESERVE_MIB));
    }
    memory.run(CLASS + "_forkd_bench = _ForkdBench(%d)\n".formatted(mib));
    return new Fit(Optional.of(memory), "");
  }

  /**
   * A block, if there was room.
   *
   * @param whyNot empty when there was
   */
  record Fit(Optional<GuestMemory> block, String whyNot) {
    /** The block; its absence is an error. */
    GuestMemory require() {
      return block.orElseThrow(
          () ->
              new ForkdException(
                  ErrorCode.GUEST_FAILED,
                  "The memory to branch %s. Next: use a snapshot with more memory."
                      .formatted(whyNot)));
    }
  }

  /** The same block in a child of a branch. */
  GuestMemory in(String child) {
    return new GuestMemory(client, child, mib);
  }

  /** Writes the whole block anew, with other values for another seed. */
  void rewrite(int seed) {
    run("_forkd_bench.fill(%d)".formatted(seed));
  }

  /**
   * A thread of the guest writes to the block's beginning until it is told to rest.
   *
   * @return how many MiB it has written before
   */
  double write(int mibPerSecond) {
    return mib(
        number("_forkd_bench.write(%d)".formatted((long) mibPerSecond << WORDS_PER_MIB_SHIFT)));
  }

  /** That thread writes no more; returns how many MiB it has written in all. */
  double rest() {
    return mib(number("_forkd_bench.rest()"));
  }

  private static double mib(long words) {
    return words / (double) (1 << WORDS_PER_MIB_SHIFT);
  }

  private long number(String code) {
    String answer = run(code).result().orElse("nothing");
    try {
      return Long.parseLong(answer);
    } catch (NumberFormatException e) {
      throw new ForkdException(
          ErrorCode.GUEST_FAILED,
          "%s answered %s where a number was expected.".formatted(sandbox, answer),
          e);
    }
  }

  private EvalOutcome run(String code) {
    EvalOutcome outcome = client.eval(sandbox, code, LONGEST);
    outcome
        .error()
        .ifPresent(
            error -> {
              throw new ForkdException(
                  ErrorCode.GUEST_FAILED,
                  "Writing %d MiB in %s failed: %s".formatted(mib, sandbox, error));
            });
    return outcome;
  }
}
