package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** API keys. */
class KeysTest {
  private static final Instant MADE = Instant.ofEpochSecond(1_800_000_000);

  @TempDir Path data;
  private Registry registry;
  private Keys keys;

  @BeforeEach
  void open() {
    registry = Registry.open(data);
    keys = registry.keys();
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private static Key key(String id, String name) {
    return new Key(
        id,
        name,
        "hash-" + id,
        "USER",
        Optional.of("alice"),
        MADE,
        Optional.of(MADE.plusSeconds(60)),
        Optional.empty());
  }

  @Test
  void aKeyIsFoundAsItWasMade() {
    Key full = key("k1", "one");
    Key bare =
        new Key(
            "k2", "two", "h", "ADMIN", Optional.empty(), MADE, Optional.empty(), Optional.empty());
    keys.add(full);
    keys.add(bare);
    assertThat(keys.find("k1")).hasValue(full);
    assertThat(keys.find("k2")).hasValue(bare);
    assertThat(keys.find("k3")).isEmpty();
    assertThat(keys.list()).containsExactly(full, bare);
  }

  @Test
  void twoKeysMayNotShareANameOrAnId() {
    keys.add(key("k1", "one"));
    assertThatThrownBy(() -> keys.add(key("k2", "one")))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("'one'");
    assertThatThrownBy(() -> keys.add(key("k1", "two"))).isInstanceOf(ForkdException.class);
    assertThat(keys.list()).hasSize(1);
  }

  @Test
  void aRevokedKeyIsFoundNoMoreAndItsNameIsFree() {
    keys.add(key("k1", "one"));
    assertThat(keys.revoke("k1")).isTrue();
    assertThat(keys.find("k1")).isEmpty();
    assertThat(keys.revoke("k1")).isFalse();
    keys.add(key("k2", "one"));
    assertThat(keys.list()).extracting(Key::id).containsExactly("k2");
  }

  @Test
  void theLastUseIsKeptToTheMinute() {
    keys.add(key("k1", "one"));
    keys.touch("k1", MADE.plusSeconds(1));
    keys.touch("k1", MADE.plusSeconds(30));
    assertThat(lastUse()).hasValue(MADE.plusSeconds(1));
    keys.touch("k1", MADE.plusSeconds(61));
    assertThat(lastUse()).hasValue(MADE.plusSeconds(61));
  }

  @Test
  void aClockThatWasSetBackDoesNotStopTheLastUse() {
    keys.add(key("k1", "one"));
    keys.touch("k1", MADE.plusSeconds(100_000));
    keys.touch("k1", MADE);
    assertThat(lastUse()).hasValue(MADE);
  }

  private Optional<Instant> lastUse() {
    return keys.find("k1").flatMap(Key::lastUsedAt);
  }
}
