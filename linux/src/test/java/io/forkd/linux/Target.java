package io.forkd.linux;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

/**
 * A small program with "guest memory", a private mapping of a memfd, that writes the pages it is
 * told to and counts up all the while.
 */
final class Target implements AutoCloseable {
  static final int PAGE = (int) ProcessCalls.sysconf(ProcessCalls.SC_PAGESIZE);
  static final String NAME = "forkd-ram-target";

  private static final int RAM = 5;
  private static final int CONTROL = 6;
  private static final int CONTROL_SIZE = 1 << 20;
  private static final int ASKED = 0;
  private static final int DONE = 8;
  private static final int COUNTED = 16;
  private static final int WRITTEN = 24;
  private static final int COMMAND = 32;
  private static final int VALUE = 40;
  private static final int PAGE_COUNT = 48;
  private static final int SIGNALLED = 56;
  private static final int PAGE_LIST = 64;
  private static final long WRITE_PAGES = 1;
  private static final long WRITE_ON_AND_ON = 2;
  private static final Duration LONG = Duration.ofSeconds(30);

  /** Words of the control mapping: see the constants above. */
  private static final String PROGRAM =
      """
      import mmap, random, signal, struct, sys, threading, time
      size, page = int(sys.argv[1]), int(sys.argv[2])
      ram = mmap.mmap(5, size, flags=mmap.MAP_PRIVATE)
      control = mmap.mmap(6, 1 << 20)
      if sys.argv[3] == 'deaf':
          for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
              signal.signal(number, signal.SIG_IGN)
      def get(at): return struct.unpack_from('<q', control, at)[0]
      def put(at, value): struct.pack_into('<q', control, at, value)
      if sys.argv[3] != 'deaf':
          signal.signal(signal.SIGUSR1, lambda *_: put(56, get(56) + 1))
      def on_and_on():
          choose, n = random.Random(7), 0
          while get(32) == 2:
              for _ in range(20):
                  n += 1
                  struct.pack_into('<q', ram, choose.randrange(size // page) * page + 8, n)
              put(24, n)
              time.sleep(0.0002)
      done = 0
      put(8, -1)
      while True:
          put(16, get(16) + 1)
          asked = get(0)
          if asked == done:
              time.sleep(0.0002)
              continue
          if get(32) == 1:
              for i in range(get(48)):
                  struct.pack_into('<q', ram, get(64 + 8 * i) * page, get(40))
          elif get(32) == 2:
              threading.Thread(target=on_and_on, daemon=True).start()
          done = asked
          put(8, done)
      """;

  private final Memfd ram;
  private final Memfd controlFile = Memfd.create("control", CONTROL_SIZE);
  private final Mapping control = Mapping.shared(controlFile.fd(), 0, CONTROL_SIZE);
  private final Child child;
  private long asked;

  private Target(long size, String mood, UnaryOperator<Spawn> more) throws InterruptedException {
    ram = Memfd.create(NAME, size);
    Path python = Spawn.find("python3").orElseThrow();
    List<String> arguments =
        List.of("-c", PROGRAM, Long.toString(size), Integer.toString(PAGE), mood);
    Spawn spawn =
        Spawn.of(python, arguments).descriptor(ram.fd(), RAM).descriptor(controlFile.fd(), CONTROL);
    child = more.apply(spawn).start();
    await(-1);
  }

  static Target start(long pages) throws InterruptedException {
    return start(pages, spawn -> spawn);
  }

  static Target start(long pages, UnaryOperator<Spawn> more) throws InterruptedException {
    return new Target(pages * PAGE, "", more);
  }

  /** One that ignores every signal that can be ignored. */
  static Target startDeaf(long pages) throws InterruptedException {
    return new Target(pages * PAGE, "deaf", spawn -> spawn);
  }

  Child child() {
    return child;
  }

  long pid() {
    return child.pid();
  }

  /** Where its memory lies, however many mappings it consists of by now. */
  MemoryArea memory() {
    return Maps.of(pid()).orElseThrow().span(NAME, ram.size()).orElseThrow();
  }

  /** Makes it write a value to the beginning of each of these pages, and waits until it has. */
  void write(Collection<Integer> pages, long value) throws InterruptedException {
    ByteBuffer list = ByteBuffer.allocate(pages.size() * Long.BYTES).order(ByteOrder.nativeOrder());
    pages.forEach(list::putLong);
    control.write(PAGE_LIST, list.array());
    put(PAGE_COUNT, pages.size());
    put(VALUE, value);
    ask(WRITE_PAGES);
  }

  /** Makes it write to pages of its own choice until it is asked for something else. */
  void writeOnAndOn() throws InterruptedException {
    ask(WRITE_ON_AND_ON);
  }

  /** How often it has written on its own. */
  long timesWritten() {
    return get(WRITTEN);
  }

  /** How often its handler of SIGUSR1 ran. */
  long timesSignalled() {
    return get(SIGNALLED);
  }

  /** Returns when it has counted further: it runs. */
  void awaitCounting() throws InterruptedException {
    long before = get(COUNTED);
    long end = System.nanoTime() + LONG.toNanos();
    while (get(COUNTED) < before + 5) {
      require(System.nanoTime() < end, "no longer counts");
      Thread.sleep(1);
    }
  }

  private void ask(long command) throws InterruptedException {
    put(COMMAND, command);
    put(ASKED, ++asked);
    await(asked);
  }

  private void await(long answer) throws InterruptedException {
    long end = System.nanoTime() + LONG.toNanos();
    while (get(DONE) != answer) {
      require(child.alive() && System.nanoTime() < end, "did not answer");
      Thread.sleep(0, 200_000);
    }
  }

  private void require(boolean condition, String otherwise) {
    if (!condition) {
      throw new AssertionError("%s %s".formatted(child, otherwise));
    }
  }

  private long get(int at) {
    return ByteBuffer.wrap(control.read(at, Long.BYTES)).order(ByteOrder.nativeOrder()).getLong();
  }

  private void put(int at, long value) {
    control.write(
        at, ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array());
  }

  @Override
  public void close() {
    child.kill(Signal.KILL);
    child.exit().orTimeout(LONG.toSeconds(), TimeUnit.SECONDS).join();
    control.close();
    controlFile.close();
    ram.close();
  }
}
