package io.forkd.guest;

import java.io.OutputStream;
import java.util.List;

/** The processes of a guest, over the channel to its agent. */
final class AgentProcesses implements ProcessTable {
  private final Connection connection;

  AgentProcesses(Connection connection) {
    this.connection = connection;
  }

  @Override
  public ProcessStream start(ProcessSpec spec) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public ProcessStream attach(ProcessRef which, boolean replay) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public List<ProcessInfo> list() {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void signal(ProcessRef which, int signal) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void resize(ProcessRef which, TerminalSize size) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public OutputStream input(ProcessRef which) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void closeInput(ProcessRef which) {
    throw new UnsupportedOperationException("not built yet");
  }
}
