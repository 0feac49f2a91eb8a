package io.forkd.core;

import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Locks by name: work on one name is done one after the other, and seldom waits for another's. */
final class Stripes {
  private static final int COUNT = 256;

  private final List<ReentrantLock> locks =
      Stream.generate(ReentrantLock::new).limit(COUNT).toList();

  <T> T alone(Object name, Supplier<T> work) {
    ReentrantLock lock = locks.get(Math.floorMod(name.hashCode(), COUNT));
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }
}
