package io.forkd.linux;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.Optional;

/** Reads the time-stamp counter itself, to measure how fast it runs. */
final class TscReader {
  /** rdtsc; shl rdx, 32; or rax, rdx; ret. */
  private static final byte[] CODE = {
    0x0f, 0x31, 0x48, (byte) 0xc1, (byte) 0xe2, 0x20, 0x48, 0x09, (byte) 0xd0, (byte) 0xc3
  };

  private static final int PAUSE_MILLIS = 50;
  private static final int TRIES = 200;

  private final MethodHandle rdtsc;

  private TscReader(MethodHandle rdtsc) {
    this.rdtsc = rdtsc;
  }

  /** The counter's frequency; empty where no code of ours may be run or nobody lets us wait. */
  static Optional<Long> measureKilohertz() {
    if (Arch.host() != Arch.X86_64) {
      return Optional.empty();
    }
    try (Memfd file = Memfd.create("forkd-rdtsc", PageScan.PAGE)) {
      FileIo.pwrite(file.fd(), ByteBuffer.wrap(CODE), 0);
      try (Mapping code = Mapping.executable(file.fd(), PageScan.PAGE)) {
        // SAFETY: the mapping begins with a whole function without arguments that touches no
        // memory and returns a long; it stays mapped until the last call has returned.
        MethodHandle handle =
            Linker.nativeLinker()
                .downcallHandle(
                    code.segment(),
                    FunctionDescriptor.of(JAVA_LONG),
                    Linker.Option.critical(false));
        TscReader reader = new TscReader(handle);
        Reading first = reader.read();
        Thread.sleep(PAUSE_MILLIS);
        Reading second = reader.read();
        return Optional.of(
            Math.round((second.ticks - first.ticks) * 1e6 / (second.nanos - first.nanos)));
      }
    } catch (LinuxException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private record Reading(long ticks, long nanos, long uncertainty) {}

  /** The reading that was disturbed least. */
  private Reading read() {
    Reading best = once();
    for (int i = 1; i < TRIES; i++) {
      Reading next = once();
      best = next.uncertainty < best.uncertainty ? next : best;
    }
    return best;
  }

  private Reading once() {
    try {
      long before = System.nanoTime();
      long ticks = (long) rdtsc.invokeExact();
      long after = System.nanoTime();
      return new Reading(ticks, before + (after - before) / 2, after - before);
    } catch (Error | RuntimeException e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("a downcall throws nothing checked", e);
    }
  }
}
