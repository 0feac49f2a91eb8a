package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessTable;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Optional;

/**
 * What a client types at a process, which waits while the process does not read. When the process
 * has no input any more, what is typed is lost, as it is at any terminal.
 */
final class Keyboard implements AutoCloseable {
  private final ProcessTable processes;
  private final ProcessRef which;
  private Optional<OutputStream> input = Optional.empty();
  private boolean broken;

  Keyboard(ProcessTable processes, ProcessRef which) {
    this.processes = processes;
    this.which = which;
  }

  void type(byte[] bytes) {
    if (broken) {
      return;
    }
    try {
      if (input.isEmpty()) {
        input = Optional.of(processes.input(which));
      }
      input.get().write(bytes);
      input.get().flush();
    } catch (IOException | ForkdException e) {
      broken = true;
    }
  }

  @Override
  public void close() {
    try {
      if (input.isPresent()) {
        input.get().close();
      }
    } catch (IOException | ForkdException e) {
      // It has no input any more.
    }
  }
}
