package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The ends' bound. */
class EndsTest {
  @TempDir Path data;

  @Test
  void onlyTheNewestAreKept() {
    try (Registry registry = Registry.open(data)) {
      Ends few = registry.endsBoundedBy(3);
      for (int i = 0; i < 10; i++) {
        few.add("sb-" + i, "{}", Instant.ofEpochSecond(i));
      }
      assertThat(few.recent(100)).extracting(Ends.Row::id).containsExactly("sb-9", "sb-8", "sb-7");
      assertThat(few.get("sb-6")).isEmpty();
    }
  }

  @Test
  void anEndToldTwiceIsKeptOnce() {
    try (Registry registry = Registry.open(data)) {
      registry.ends().add("sb-1", "{\"first\":true}", Instant.ofEpochSecond(1));
      registry.ends().add("sb-1", "{\"first\":false}", Instant.ofEpochSecond(2));
      assertThat(registry.ends().recent(10))
          .containsExactly(new Ends.Row("sb-1", "{\"first\":false}", Instant.ofEpochSecond(2)));
    }
  }
}
