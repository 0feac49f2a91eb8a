package io.forkd.core.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.core.Egress;
import io.forkd.core.net.Networks.Opened;
import io.forkd.linux.Netns;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A fake host with networks; all of it is gone after each test. */
abstract class NetworkTest {
  @TempDir Path folder;
  FakeHost world;
  Networks networks;

  @BeforeEach
  void open() throws Exception {
    world = new FakeHost("n");
    world.serve(world.internet, 80);
    world.serve(world.host, 80);
    networks = opened();
  }

  Networks opened() throws Exception {
    Opened opened = Networks.open(folder, world.options(folder, Egress.INTERNET, 1));
    assertThat(opened).isInstanceOf(Opened.Ready.class);
    return ((Opened.Ready) opened).networks();
  }

  @AfterEach
  void close() throws Exception {
    networks.close();
    networks = opened();
    networks.sweep(Set.of());
    networks.close();
    networks.removeIfUnused();
    assertThat(Netns.names()).noneMatch(this::isOurs);
    assertThat(Sh.run(world.host, "nft list ruleset\n")).isEmpty();
    world.close();
  }

  private boolean isOurs(String name) {
    return SlotNames.of(folder).numberOfNetns(name).isPresent();
  }

  Wire wire(NetworkSlot slot) {
    return new Wire(SlotNames.of(folder).numberOfNetns(slot.name()).orElseThrow());
  }
}
