package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.registry.Registry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends in the registry, also when it has no room. */
@Timeout(60)
class EndRowsTest {
  private static final SandboxId ID = SandboxId.of("sb-0123456789-0007");

  @TempDir Path data;

  private static EndedSandbox ended(SandboxId id, EndReason.Kind kind) {
    return new EndedSandbox(
        id,
        Tag.of("python"),
        Instant.ofEpochSecond(1_700_000_000),
        Instant.ofEpochSecond(1_800_000_000, 5_000_000),
        new EndReason(kind, "it was time", List.of("last", "words \"quoted\"")),
        Map.of("team", "blue"),
        Optional.of("alice"));
  }

  @ParameterizedTest
  @EnumSource
  void everyEndIsReadBackAsItWasAlsoByALaterDaemon(EndReason.Kind kind) {
    try (Registry registry = Registry.open(data)) {
      new EndRows(registry, new Events()).add(ended(ID, kind));
    }
    try (Registry registry = Registry.open(data)) {
      EndRows rows = new EndRows(registry, new Events());
      assertThat(rows.find(ID)).contains(ended(ID, kind));
      assertThat(rows.recent(10)).containsExactly(ended(ID, kind));
      assertThat(registry.check()).isEmpty();
    }
  }

  @Test
  void theRecordGoesWhenTheEndComes() {
    try (Registry registry = Registry.open(data)) {
      registry.sandboxes().put(ID.value(), "RUNNING", "{}");
      List<Event> heard = new ArrayList<>();
      Events events = new Events();
      events.subscribe(0, heard::add);
      new EndRows(registry, events).add(ended(ID, EndReason.Kind.EXPIRED));
      assertThat(registry.sandboxes().all()).isEmpty();
      assertThat(heard)
          .singleElement()
          .satisfies(
              event -> {
                assertThat(event.type()).isEqualTo("sandbox.ended");
                assertThat(event.details()).containsEntry("reason", "expired");
              });
    }
  }

  @Test
  void anEndTheRegistryHasNoRoomForIsKnownAndKeptLater() throws Exception {
    run("mount", "-t", "tmpfs", "-o", "size=2m", "forkd-test", data.toString());
    try (Registry registry = Registry.open(data)) {
      EndRows rows = new EndRows(registry, new Events());
      SandboxRows records = new SandboxRows(registry);
      registry.sandboxes().put(ID.value(), "RUNNING", "{}");
      fillUp();
      int number = 0;
      while (registry.ends().recent(10_000).size() == number) {
        rows.add(ended(SandboxId.of("0123456789", number++), EndReason.Kind.KILLED));
      }
      SandboxId unwritten = SandboxId.of("0123456789", number - 1);
      rows.add(ended(ID, EndReason.Kind.KILLED));
      assertThat(registry.ends().get(ID.value())).isEmpty();
      assertThat(rows.find(ID)).isPresent();
      assertThat(rows.find(unwritten)).isPresent();
      records.remove(ID); // must not fail
      rows.settle();
      assertThat(registry.sandboxes().get(ID.value())).as("there is still no room").isPresent();

      Files.delete(data.resolve("hog"));
      rows.settle();
      assertThat(registry.ends().get(ID.value())).isPresent();
      assertThat(registry.ends().get(unwritten.value())).isPresent();
      assertThat(registry.sandboxes().all()).isEmpty();
      assertThat(registry.check()).isEmpty();
    } finally {
      run("umount", data.toString());
    }
  }

  private void fillUp() throws IOException {
    try (OutputStream out = Files.newOutputStream(data.resolve("hog"))) {
      while (true) {
        out.write(new byte[4096]);
      }
    } catch (IOException e) {
      assertThat(e).hasMessageContaining("No space left");
    }
  }

  private static void run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
  }
}
