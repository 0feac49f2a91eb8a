package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.registry.Registry;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Restarts of the host. */
class HostBootTest {
  @TempDir Path data;

  @Test
  void aHostThatWasRestartedIsRecognisedUntilThatIsSettled() {
    try (Registry registry = Registry.open(data)) {
      HostBoot first = new HostBoot(registry.meta(), "one");
      assertThat(first.isNew()).as("the first daemon there is found nothing").isFalse();
      first.settled();
      assertThat(new HostBoot(registry.meta(), "one").isNew()).isFalse();
      assertThat(new HostBoot(registry.meta(), "two").isNew()).isTrue();
      HostBoot again = new HostBoot(registry.meta(), "two");
      assertThat(again.isNew()).as("a daemon that died before it had settled").isTrue();
      again.settled();
      assertThat(new HostBoot(registry.meta(), "two").isNew()).isFalse();
    }
  }

  @Test
  void thisHostsBootIsKnown() {
    try (Registry registry = Registry.open(data)) {
      new HostBoot(registry.meta()).settled();
      assertThat(registry.meta().lastBoot()).get().asString().matches("[0-9a-f-]{36}");
    }
  }
}
