package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class GuestNetTest {
  @Test
  void theAgentAndTheHostHaveTheSameIdeaOfTheirWire() throws IOException {
    String agent = Files.readString(Path.of("agent/network.c"));
    long mask = 0xffffffffL << (32 - GuestNet.PREFIX);
    assertThat(agent)
        .contains("#define ADDRESS \"%s\"".formatted(GuestNet.ADDRESS))
        .contains("#define GATEWAY \"%s\"".formatted(GuestNet.GATEWAY))
        .contains("#define NETMASK \"255.255.255.%d\"".formatted(mask & 0xff));
  }
}
