package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ForkdExceptionTest {
  private static final Map<ErrorCode.Blame, Integer> STATUS_CLASS =
      Map.of(
          ErrorCode.Blame.USER, 4,
          ErrorCode.Blame.INTERNAL, 5,
          ErrorCode.Blame.RESOURCES, 5,
          ErrorCode.Blame.EXTERNAL, 5);

  @Test
  void eachShorthandHasItsCodeAndFillsInItsArguments() {
    assertThat(ForkdException.badRequest("n is %d", 0))
        .hasMessage("n is 0")
        .extracting(ForkdException::code)
        .isEqualTo(ErrorCode.BAD_REQUEST);
    assertThat(ForkdException.notFound("no %s", "tag"))
        .hasMessage("no tag")
        .extracting(ForkdException::code)
        .isEqualTo(ErrorCode.NOT_FOUND);
    assertThat(ForkdException.conflict("%s exists", "tag"))
        .hasMessage("tag exists")
        .extracting(ForkdException::code)
        .isEqualTo(ErrorCode.CONFLICT);
  }

  @Test
  void aPercentSignInAnArgumentIsText() {
    assertThat(ForkdException.badRequest("'%s' is bad", "100%")).hasMessage("'100%' is bad");
  }

  @Test
  void keepsItsCause() {
    IOException cause = new IOException("disk");
    assertThat(new ForkdException(ErrorCode.FULL, "full", cause)).hasCause(cause);
    assertThat(new ForkdException(ErrorCode.FULL, "full")).hasNoCause();
  }

  @ParameterizedTest
  @EnumSource
  void theHttpStatusBlamesTheSameSide(ErrorCode code) {
    assertThat(code.httpStatus() / 100).isEqualTo(STATUS_CLASS.get(code.blame()));
  }

  @Test
  void theWireContractsStatusCodesAreKept() {
    assertThat(ErrorCode.BAD_REQUEST.httpStatus()).isEqualTo(400);
    assertThat(ErrorCode.UNAUTHORIZED.httpStatus()).isEqualTo(401);
    assertThat(ErrorCode.NOT_FOUND.httpStatus()).isEqualTo(404);
    assertThat(ErrorCode.CONFLICT.httpStatus()).isEqualTo(409);
    assertThat(ErrorCode.FULL.httpStatus()).isEqualTo(503);
  }
}
