package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GuestNamesTest {
  @Test
  void aGuestIsCalledByItsSandbox() {
    Path home = Path.of("/run/forkd/sandboxes/sb-0123456789-0007");

    assertThat(GuestNames.of(home.resolve("agent.sock"))).isEqualTo("sandbox sb-0123456789-0007");
    assertThat(GuestNames.of(home.resolve("g3/agent.sock")))
        .isEqualTo("sandbox sb-0123456789-0007");
  }

  @Test
  void oneThatIsNoSandboxHasNoName() {
    assertThat(GuestNames.of(Path.of("/run/forkd/building/agent.sock"))).isEqualTo("the guest");
  }

  @Test
  void failuresDoNotTellWhereTheSocketIs() {
    Path socket = Path.of("/nowhere-at-all/sb-0123456789-0007/agent.sock");

    assertThatThrownBy(() -> Agent.open(socket))
        .hasMessageStartingWith("Cannot connect to the agent of sandbox sb-0123456789-0007: ")
        .hasMessageNotContaining("nowhere");
  }
}
