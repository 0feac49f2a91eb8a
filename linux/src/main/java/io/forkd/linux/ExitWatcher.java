package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Runs a callback when a process ends. One platform thread waits in epoll for all of them, so that
 * no virtual thread's carrier is held by a wait.
 */
final class ExitWatcher {
  private static final MethodHandle EPOLL_CREATE1 =
      Native.bind("epoll_create1", FunctionDescriptor.of(JAVA_INT, JAVA_INT));
  private static final MethodHandle EPOLL_CTL =
      Native.bind(
          "epoll_ctl", FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, ADDRESS));
  private static final MethodHandle EPOLL_WAIT =
      Native.bind(
          "epoll_wait", FunctionDescriptor.of(JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT));
  private static final int EPOLL_CLOEXEC = 0x80000;
  private static final int EPOLL_CTL_ADD = 1;
  private static final int EPOLL_CTL_DEL = 2;
  private static final int EPOLLIN = 1;
  private static final int EPOLLONESHOT = 1 << 30;
  private static final int BATCH = 64;

  /** Made on first use; lives as long as the JVM. */
  private static final class Instance {
    static final ExitWatcher SHARED = new ExitWatcher();
  }

  private final int epoll;
  private final AtomicLong keys = new AtomicLong();
  private final Map<Long, Runnable> callbacks = new ConcurrentHashMap<>();

  private ExitWatcher() {
    epoll =
        (int)
            Native.call(
                "epoll_create1",
                (arena, errno) -> (int) EPOLL_CREATE1.invokeExact(errno, EPOLL_CLOEXEC));
    Thread.ofPlatform().daemon().name("forkd-exit-watcher").start(this::run);
  }

  static ExitWatcher shared() {
    return Instance.SHARED;
  }

  /** Calls back once, on the watcher's thread, when the process behind the pidfd has ended. */
  long watch(Fd pidfd, Runnable callback) {
    long key = keys.incrementAndGet();
    callbacks.put(key, callback);
    try {
      control(EPOLL_CTL_ADD, pidfd.number(), key);
    } catch (LinuxException e) {
      callbacks.remove(key);
      throw e;
    }
    return key;
  }

  /** Must precede the closing of a watched pidfd; the key is what {@link #watch} returned. */
  void forget(Fd pidfd, long key) {
    callbacks.remove(key);
    control(EPOLL_CTL_DEL, pidfd.number(), key);
  }

  private void control(int operation, int fd, long key) {
    Arch arch = Arch.host();
    Native.call(
        "epoll_ctl",
        (arena, errno) -> {
          MemorySegment event = arena.allocate(arch.epollEventSize, Long.BYTES);
          event.set(JAVA_INT, 0, EPOLLIN | EPOLLONESHOT);
          event.set(JAVA_LONG_UNALIGNED, arch.epollDataOffset, key);
          return (int) EPOLL_CTL.invokeExact(errno, epoll, operation, fd, event);
        },
        epoll,
        operation,
        fd);
  }

  private void run() {
    try (Arena arena = Arena.ofConfined()) {
      Arch arch = Arch.host();
      MemorySegment events = arena.allocate((long) arch.epollEventSize * BATCH, Long.BYTES);
      while (true) {
        long count =
            Native.call(
                "epoll_wait",
                (_, errno) -> (int) EPOLL_WAIT.invokeExact(errno, epoll, events, BATCH, -1),
                epoll);
        for (long i = 0; i < count; i++) {
          long at = i * arch.epollEventSize + arch.epollDataOffset;
          callBack(callbacks.remove(events.get(JAVA_LONG_UNALIGNED, at)));
        }
      }
    }
  }

  private static void callBack(@Nullable Runnable callback) {
    if (callback == null) {
      return; // forgotten meanwhile
    }
    try {
      callback.run();
    } catch (RuntimeException e) {
      Thread thread = Thread.currentThread();
      thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
    }
  }
}
