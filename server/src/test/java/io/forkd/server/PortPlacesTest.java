package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.SandboxId;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PortPlacesTest {
  private static final PortTarget TARGET = PortTarget.of(SandboxId.of("sb-0123456789-0000"), 8000);
  private static final String PREFIX = "/v1/sandboxes/sb-0123456789-0000/ports/8000";

  private static String translated(String url) {
    return new PortPlaces(TARGET, Optional.of("forkd.example:8889"), "/a/b").translated(url);
  }

  @ParameterizedTest
  @CsvSource({
    "http://localhost:8000/x,/x",
    "http://LOCALHOST:8000/x?y#z,/x?y#z",
    "https://127.0.0.1:8000,/",
    "http://0.0.0.0:8000?x,/?x",
    "http://[::1]:8000/x,/x",
    "//localhost:8000/x,/x",
    "/x,/x",
    "/,/",
    "x,/a/x",
    "./x,/a/x",
    "../x,/x",
    "?y,/a/b?y",
    "#z,/a/b#z",
    "http://forkd.example:8889/x,/x",
    "http://u@forkd.example:8889/x,/x"
  })
  void aPlaceInTheGuestIsFoundBehindThePrefix(String url, String expected) {
    assertThat(translated(url)).isEqualTo(PREFIX + expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "https://example.org/x",
        "//example.org/x",
        "http://localhost:8001/x",
        "http://localhost/x",
        "http://localhost.example.org:8000/",
        "mailto:a@example.org"
      })
  void otherPlacesAreLeftAlone(String url) {
    assertThat(translated(url)).isEqualTo(url);
  }

  @Test
  void aGuestThatSaysThePrefixItselfIsTakenAtItsWord() {
    assertThat(translated(PREFIX + "/x")).isEqualTo(PREFIX + "/x");
    assertThat(translated("http://forkd.example:8889" + PREFIX + "/x")).isEqualTo(PREFIX + "/x");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../../../../../../../v1/pools",
        "/../../../../../v1/pools",
        "/x/%2e%2E/%2e./.%2e/v1/pools",
        "/x\\..\\..\\..\\v1\\pools",
        "..\t/../..\t/v1/pools",
        ".\t./../../v1/pools",
        "http:/v1/pools",
        "http:v1/pools",
        "http:\\v1\\pools",
        "/v1/pools",
        "\\v1\\pools",
        "http://forkd.example:8889/v1/pools",
        "//forkd.example:8889/v1/pools",
        "\\\\forkd.example:8889\\v1\\pools",
        "//FORKD.example:8889/v1/pools",
        "/v1/sandboxes/sb-0123456789-0000/ports/8000/../../../../pools",
        "/v1/sandboxes/sb-0123456789-0000/ports/8000",
        "/v1/sandboxes/sb-0123456789-0000/ports/80001/"
      })
  void noGuestSendsAClientElsewhereInTheApi(String url) {
    assertThat(translated(url)).startsWith(PREFIX + "/").doesNotContain("..", "\\", "\t");
  }
}
