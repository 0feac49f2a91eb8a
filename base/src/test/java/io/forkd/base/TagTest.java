package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TagTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "python-numpy", "_x", "1.2.3", "A_b-c.d"})
  void acceptsTheContractsNames(String name) {
    assertThat(Tag.of(name)).hasToString(name);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ".",
        "..",
        ".hidden",
        "-flag",
        "a/b",
        "../x",
        "a b",
        "a\n",
        "ä",
        "a\0b",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
      })
  void refusesWhatCouldLeaveTheFolder(String name) {
    assertThatThrownBy(() -> Tag.of(name))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining("is not a tag");
  }
}
