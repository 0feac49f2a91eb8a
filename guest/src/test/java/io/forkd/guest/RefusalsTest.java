package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RefusalsTest {
  @Test
  void everyFailureHasOneCode() {
    Set<GuestFailure> met = new HashSet<>();
    for (int code = Protocol.ERROR_BROKEN; code <= Protocol.ERROR_UNFIT; code++) {
      GuestRefusal refusal = (GuestRefusal) refusal(code, "because");
      assertThat(refusal).hasMessage("Cannot do it: because.");
      assertThat(met.add(refusal.why())).isTrue();
    }
    assertThat(met).containsExactlyInAnyOrder(GuestFailure.values());
  }

  @Test
  void otherCodesSayWhatToDoOrWhoseFaultItIs() {
    assertThat(refusal(2, "what?").code()).isEqualTo(ErrorCode.CONFLICT);
    assertThat(refusal(2, "what?")).hasMessageContaining("make it anew");
    assertThat(refusal(3, "full").code()).isEqualTo(ErrorCode.FULL);
    assertThat(refusal(1, "torn").code()).isEqualTo(ErrorCode.BAD_REQUEST);
    assertThat(refusal(9, "broke").code()).isEqualTo(ErrorCode.GUEST_FAILED);
    assertThat(refusal(9, "broke")).hasMessageContaining("code 9");
  }

  @Test
  void whatAGuestSaysIsFitToBeShown() {
    assertThat(refusal(14, "a\u001b[2Jb").getMessage()).doesNotContain("\u001b");
  }

  private static ForkdException refusal(int code, String message) {
    return Refusals.of(new Outcome.Reset(code, message), "Cannot do it");
  }
}
