package io.forkd.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.core.ChildSpec;
import io.forkd.core.Lifetime;
import io.forkd.core.Limits;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class LabelsTest {
  private static Map<String, String> roundTrip(Map<String, String> metadata) {
    Map<String, String> labels = new TreeMap<>(Labels.of(metadata));
    labels.put(Labels.TEMPLATE, "base");
    // The core must take them as they are.
    ChildSpec given =
        new ChildSpec(Limits.NONE, Lifetime.UNLIMITED, Optional.empty(), labels, Optional.empty());
    return Labels.metadata(given.labels());
  }

  @Test
  void plainMetadataAreLabelsThatPeopleCanFindSandboxesBy() {
    assertThat(Labels.of(Map.of("team", "blue"))).isEqualTo(Map.of("team", "blue"));
    assertThat(roundTrip(Map.of("team", "blue", "n", "")))
        .isEqualTo(Map.of("team", "blue", "n", ""));
  }

  @Test
  void metadataThatCannotBeLabelsComeBackWhole() {
    Map<String, String> odd =
        Map.of(
            "a b",
            "c&d",
            "",
            "empty",
            "é",
            "line\nbreak",
            "e2b/template",
            "mine",
            "x",
            "€".repeat(300));

    assertThat(roundTrip(odd)).isEqualTo(odd);
  }

  @Test
  void manyMetadataComeBackWhole() {
    Map<String, String> many = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      many.put("key " + i, "value " + i);
    }

    assertThat(roundTrip(many)).isEqualTo(many);
  }

  @Test
  void tooMuchIsRefused() {
    byte[] noise = new byte[8000];
    new Random(1).nextBytes(noise);
    String value = new String(noise, java.nio.charset.StandardCharsets.ISO_8859_1);

    assertThatThrownBy(() -> Labels.of(Map.of("k", value))).hasMessageContaining("metadata takes");
  }

  @Test
  void labelsThatSomebodyDamagedAreNoMetadata() {
    assertThat(Labels.metadata(Map.of("e2b/metadata.00", "not base64!", "team", "blue")))
        .isEqualTo(Map.of("team", "blue"));
  }
}
