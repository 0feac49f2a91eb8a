package io.forkd.linux;

import java.io.IOException;

/**
 * Short work that is done inside other namespaces. It starts no threads and completes nothing that
 * others wait for: a thread born there would stay there.
 */
@FunctionalInterface
public interface Inside<T> {
  T run() throws IOException;
}
