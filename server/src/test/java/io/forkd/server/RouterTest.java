package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.server.http.HttpHandler;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RouterTest {
  private static final HttpHandler NOBODY = _ -> {};

  private static Optional<Map<String, String>> match(String template, String... segments) {
    return new Route(Operation.get(template), NOBODY).match(List.of(segments), List.of(segments));
  }

  @Test
  void namesTakeOneSegmentEach() {
    assertThat(match("/v1/{a}/x/{b}", "v1", "one", "x", "two"))
        .contains(Map.of("a", "one", "b", "two"));
    assertThat(match("/v1/{a}/x/{b}", "v1", "one", "y", "two")).isEmpty();
    assertThat(match("/v1/{a}/x/{b}", "v1", "one", "x", "two", "three")).isEmpty();
    assertThat(match("/v1/{a}", "v1")).isEmpty();
  }

  @Test
  void aTailTakesAllThatIsLeftAsItWasSent() {
    Route route = new Route(Operation.any("/p/{port}/{rest...}"), NOBODY);
    assertThat(route.match(List.of("p", "80", "a b", "c"), List.of("p", "80", "a%20b", "c")))
        .contains(Map.of("port", "80", "rest", "a%20b/c"));
    assertThat(route.match(List.of("p", "80", ""), List.of("p", "80", "")))
        .contains(Map.of("port", "80", "rest", ""));
    assertThat(route.match(List.of("p", "80"), List.of("p", "80"))).isEmpty();
  }

  @Test
  void whatIsMoreParticularComesFirst() {
    Router router =
        new Router()
            .add(Operation.any("/v1/x/{rest...}"), NOBODY)
            .add(Operation.any("/v1/x/{id}"), NOBODY)
            .add(Operation.get("/v1/x/{id}"), NOBODY)
            .add(Operation.get("/v1/x/usage"), NOBODY)
            .add(Operation.get("/v1/x"), NOBODY);
    assertThat(router.operations().stream().map(Operation::toString))
        .containsExactly(
            "GET /v1/x", "GET /v1/x/usage", "GET /v1/x/{id}", "* /v1/x/{id}", "* /v1/x/{rest...}");
  }

  @Test
  void twoRoutesForTheSameRequestsAreADefect() {
    Router router = new Router().add(Operation.get("/v1/x/{id}"), NOBODY);
    assertThatThrownBy(() -> router.add(Operation.get("/v1/x/{name}"), NOBODY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("There are two routes for GET /v1/x/{name}");
  }

  @Test
  void anOperationIsForAdminsUntilItSaysElse() {
    assertThat(Operation.get("/x").role()).contains(Role.ADMIN);
    assertThat(Operation.get("/x").open().role()).isEmpty();
    assertThat(Operation.get("/x").changes()).isFalse();
    assertThat(Operation.post("/x").changes()).isTrue();
    assertThat(Operation.post("/x").changesNothing().changes()).isFalse();
  }
}
