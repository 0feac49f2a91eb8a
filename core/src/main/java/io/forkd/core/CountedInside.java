package io.forkd.core;

import io.forkd.guest.FileTree;
import io.forkd.guest.GuestMetrics;
import io.forkd.guest.Inside;
import io.forkd.guest.Interpreter;
import io.forkd.guest.ProcessTable;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** The inside of a sandbox, which counts as in use while a call or a stream of it is open. */
final class CountedInside implements Inside {
  private final LiveSandbox sandbox;

  CountedInside(LiveSandbox sandbox) {
    this.sandbox = sandbox;
  }

  @Override
  public ProcessTable processes() {
    return new CountedProcesses(sandbox.agent().processes(), sandbox.activity());
  }

  @Override
  public FileTree files(Optional<String> user) {
    return new CountedFiles(sandbox.agent().files(user), sandbox.activity());
  }

  @Override
  public Interpreter interpreter() {
    return new CountedInterpreter(sandbox.agent().interpreter(), sandbox.activity());
  }

  @Override
  public GuestMetrics metrics(Duration timeout) {
    return sandbox.agent().metrics(timeout); // who only looks does not use it
  }

  @Override
  public void setEnvironment(Map<String, String> variables, Duration timeout) {
    sandbox.activity().during(() -> sandbox.agent().setEnvironment(variables, timeout));
  }
}
