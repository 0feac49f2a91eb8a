package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RuntimeDeathTest {
  private HostAgent host;
  private Agent agent;

  @BeforeEach
  void start() {
    host = HostAgent.start();
    agent = host.connect();
  }

  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    host.assertCleanExit();
    host.close();
  }

  @Test
  void tellsTheCallerOfARuntimeThatDiesAndStartsItAgain() {
    assertFails("import os; os._exit(3)", PATIENCE, ErrorCode.GUEST_FAILED)
        .hasMessageContaining("exit code 3")
        .hasMessageContaining("state is gone");
    assertThat(agent.eval("1 + 1", PATIENCE).result()).contains("2");
  }

  @Test
  void tellsTheNextCallerWhenTheRuntimeDiedBetweenTwoEvals() {
    String pid = agent.eval("import os; os.getpid()", PATIENCE).result().orElseThrow();
    ProcessHandle runtime = ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
    runtime.destroyForcibly();
    runtime.onExit().join();
    assertFails("1", PATIENCE, ErrorCode.GUEST_FAILED).hasMessageContaining("state is gone");
    assertThat(agent.eval("1 + 1", PATIENCE).result()).contains("2");
  }

  @Test
  void killsAndReplacesARuntimeThatDoesNotHeedTheInterrupt() {
    agent.startRuntime("python", PATIENCE);
    String stubborn =
        "import signal, time\nsignal.signal(signal.SIGINT, signal.SIG_IGN)\ntime.sleep(1000)";
    assertFails(stubborn, Duration.ofMillis(300), ErrorCode.TIMEOUT)
        .hasMessageContaining("state is gone");
    assertThat(agent.eval("1 + 1", PATIENCE).result()).contains("2");
  }

  private AbstractThrowableAssert<?, ?> assertFails(
      String code, Duration timeout, ErrorCode wanted) {
    return assertThatThrownBy(() -> agent.eval(code, timeout))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).as(e.getMessage()).isEqualTo(wanted));
  }
}
