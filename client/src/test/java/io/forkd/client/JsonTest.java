package io.forkd.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "null",
        "true",
        "-7",
        "1.5",
        "\"ä\\n\"",
        "{\"a\":[1,null,{\"b\":false}],\"c\":\"\"}",
        "[9223372036854775807]"
      })
  void whatIsReadIsWrittenTheSame(String text) {
    assertThat(Json.write(Json.parse(text))).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1,", "{\"a\"}", "nonsense", "{} {}", "]", "<html>"})
  void whatIsNoJsonIsRefusedWithAReason(String text) {
    assertThatThrownBy(() -> Json.parse(text))
        .isInstanceOf(ForkdClientException.class)
        .hasMessageContaining("Expected JSON");
  }

  @Test
  void aNumberTooLongForALongBecomesADouble() {
    assertThat(Json.parse("18446744073709551616")).isEqualTo(1.8446744073709552E19);
  }

  @Test
  void optionalsAndObjectsAreWrittenAsWhatTheyHold() {
    assertThat(Json.write(Arrays.asList(Optional.of(1), Optional.empty(), Double.NaN, null)))
        .isEqualTo("[1,null,null,null]");
    assertThat(Json.write(Map.of("o", JsonObject.ofPairs("x", List.of("y")))))
        .isEqualTo("{\"o\":{\"x\":[\"y\"]}}");
  }

  @Test
  void aPathIsWrittenAsTextAndNotAsItsParts() {
    assertThat(Json.write(Path.of("/a/b"))).isEqualTo("\"/a/b\"");
  }

  @Test
  void aFieldOfAnotherTypeIsNamed() {
    JsonObject json = Json.parseObject("{\"pid\":\"seven\",\"name\":7,\"on\":1,\"list\":{}}");
    assertThatThrownBy(() -> json.number("pid"))
        .hasMessageContaining("Expected pid to be a number");
    assertThatThrownBy(() -> json.text("name")).hasMessageContaining("Expected name to be text");
    assertThatThrownBy(() -> json.flag("on"))
        .hasMessageContaining("Expected on to be true or false");
    assertThatThrownBy(() -> json.texts("list"))
        .hasMessageContaining("Expected list to be an array");
  }

  @Test
  void whatIsAbsentReadsAsEmpty() {
    JsonObject json = Json.parseObject("{\"result\":null}");
    assertThat(json.optionalText("result")).isEmpty();
    assertThat(json.number("pid")).isZero();
    assertThat(json.decimals("phases_ms")).isEmpty();
    assertThat(json.object("proof")).isEmpty();
  }
}
