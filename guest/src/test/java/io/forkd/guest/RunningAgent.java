package io.forkd.guest;

import java.util.Optional;
import java.util.function.Supplier;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * An agent on this machine and a connection to it, which must have ended cleanly when it is no
 * longer needed: in a static field for all tests of a class, else for each.
 */
final class RunningAgent
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private final Supplier<HostAgent> start;
  private Optional<Running> forAll = Optional.empty();
  private Optional<Running> forOne = Optional.empty();

  private record Running(HostAgent host, Agent agent) {
    static Running of(HostAgent host) {
      return new Running(host, host.connect());
    }

    void stop() throws InterruptedException {
      agent.close();
      host.assertCleanExit();
      host.close();
    }
  }

  RunningAgent(Supplier<HostAgent> start) {
    this.start = start;
  }

  Agent agent() {
    return forOne.or(() -> forAll).orElseThrow().agent();
  }

  HostAgent host() {
    return forOne.or(() -> forAll).orElseThrow().host();
  }

  @Override
  public void beforeAll(ExtensionContext context) {
    forAll = Optional.of(Running.of(start.get()));
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    if (forAll.isEmpty()) {
      forOne = Optional.of(Running.of(start.get()));
    }
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    if (forOne.isPresent()) {
      forOne.get().stop();
    }
  }

  @Override
  public void afterAll(ExtensionContext context) throws InterruptedException {
    if (forAll.isPresent()) {
      forAll.get().stop();
    }
  }
}
