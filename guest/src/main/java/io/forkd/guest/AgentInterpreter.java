package io.forkd.guest;

import java.util.List;
import java.util.Optional;

/** The code contexts of a guest, over the channel to its agent. */
final class AgentInterpreter implements Interpreter {
  private final Connection connection;

  AgentInterpreter(Connection connection) {
    this.connection = connection;
  }

  @Override
  public List<CodeContext> contexts() {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public CodeContext create(Language language, Optional<String> cwd) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void restart(String context) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void delete(String context) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void interrupt(String context) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public Execution execute(CodeRequest request) {
    throw new UnsupportedOperationException("not built yet");
  }
}
