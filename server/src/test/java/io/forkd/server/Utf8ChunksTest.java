package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class Utf8ChunksTest {
  private static final String TEXT = "aß€\uD83D\uDCA9\u0000\n\"z\uFFFF";

  private final Utf8Chunks chunks = new Utf8Chunks("stdout");

  private static Optional<JsonNode> json(Optional<JsonObject> line) {
    return line.map(object -> Answer.parse(new String(Json.bytes(object), UTF_8)));
  }

  private String take(byte[] bytes) {
    return json(chunks.take(bytes)).map(line -> line.path("text").asString()).orElse("");
  }

  @Test
  void aTextCutAnywhereComesWhole() {
    byte[] bytes = TEXT.getBytes(UTF_8);
    for (int first = 0; first <= bytes.length; first++) {
      for (int second = first; second <= bytes.length; second++) {
        String heard =
            take(Arrays.copyOf(bytes, first))
                + take(Arrays.copyOfRange(bytes, first, second))
                + take(Arrays.copyOfRange(bytes, second, bytes.length));
        assertThat(heard).isEqualTo(TEXT);
        assertThat(chunks.end()).isEmpty();
      }
    }
  }

  @Test
  void byteByByteItComesCharacterByCharacter() {
    StringBuilder heard = new StringBuilder();
    for (byte one : TEXT.getBytes(UTF_8)) {
      heard.append(take(new byte[] {one}));
    }
    assertThat(heard).hasToString(TEXT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"ff", "80", "61c0af", "eda080", "f5808080", "c328", "80808080", "f880"})
  void whatIsNotUtf8ComesInBase64(String hex) {
    byte[] bytes = HexFormat.of().parseHex(hex);
    JsonNode line = json(chunks.take(bytes)).orElseThrow();
    assertThat(line.path("type").asString()).isEqualTo("stdout");
    assertThat(line.path("base64").binaryValue()).isEqualTo(bytes);
    assertThat(line.has("text")).isFalse();
    assertThat(chunks.end()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"c3", "e2", "e282", "f0", "f09f", "f09f92"})
  void anUnfinishedCharacterIsToldAtTheEnd(String hex) {
    byte[] bytes = HexFormat.of().parseHex("61" + hex);
    assertThat(take(bytes)).isEqualTo("a");
    JsonNode rest = json(chunks.end()).orElseThrow();
    assertThat(rest.path("base64").binaryValue()).isEqualTo(HexFormat.of().parseHex(hex));
    assertThat(chunks.end()).isEmpty();
  }
}
