package io.forkd.core;

import io.forkd.linux.Child;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import io.forkd.vmm.GuestStop;
import io.forkd.vmm.MemoryCopy;
import io.forkd.vmm.PageSink;
import io.forkd.vmm.VirtualMachine;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A VM that is a sleeping process and does nothing else. */
final class FakeVm implements VirtualMachine {
  private final Child process =
      Spawn.of(Path.of("/bin/sleep"), List.of("1000")).workingDirectory(Path.of("/")).start();
  private final Path agentSocket;
  volatile boolean refusesToLoad;
  volatile boolean refusesToDie;
  volatile boolean closed;
  volatile Optional<GuestStop> guestStop = Optional.empty();

  FakeVm(Path agentSocket) {
    this.agentSocket = agentSocket;
  }

  @Override
  public Child process() {
    return process;
  }

  @Override
  public Path agentSocket() {
    return agentSocket;
  }

  @Override
  public OptionalInt writeTracker() {
    return OptionalInt.empty();
  }

  @Override
  public void pause() {}

  @Override
  public void resume() {}

  @Override
  public MemoryCopy streamMemory(long guestBytes, PageSink sink) {
    return new MemoryCopy.GivenUp("it has no memory");
  }

  @Override
  public boolean running() {
    return process.alive();
  }

  @Override
  public void saveDeviceState() {}

  @Override
  public byte[] deviceState() {
    return new byte[] {1};
  }

  @Override
  public void loadDeviceState() {
    if (refusesToLoad) {
      throw new IllegalStateException("the device state does not load");
    }
  }

  @Override
  public Optional<GuestStop> guestStop() {
    return guestStop;
  }

  @Override
  public String consoleTail() {
    return "";
  }

  @Override
  public void kill(Duration wait) {
    process.kill(Signal.KILL);
    process.exit().join();
    if (refusesToDie) {
      throw new IllegalStateException("it does not die");
    }
  }

  @Override
  public void close() {
    closed = true;
  }
}
