package io.forkd.client;

import java.util.function.Consumer;

/** Carries calls to one daemon; any thread may use it. */
interface Transport extends AutoCloseable {
  /**
   * Sends a call and waits for its answer, handing the lines of a streamed one to {@code lines} on
   * the calling thread as they come.
   */
  Reply send(Call call, Consumer<String> lines);

  @Override
  void close();
}
