package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SlotsTest {
  @Test
  void theLowestFreeSlotIsGivenOut() {
    Slots slots = new Slots(10);
    assertThat(slots.take()).isZero();
    assertThat(slots.take()).isEqualTo(1);
    assertThat(slots.take()).isEqualTo(2);
    slots.giveBack(1);
    assertThat(slots.take()).isEqualTo(1);
    assertThat(slots.take()).isEqualTo(3);
  }

  @Test
  void whenAllAreTakenTheRequestIsRefusedAsFullAndSaysWhatHelps() {
    Slots slots = new Slots(2);
    slots.take();
    slots.take();
    assertThatThrownBy(slots::take)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL))
        .hasMessageContaining("all 2 slots")
        .hasMessageContaining("forkd kill");
    slots.giveBack(0);
    assertThat(slots.take()).isZero();
  }

  @Test
  void aSlotAnEarlierDaemonGaveOutIsNotGivenOutAgain() {
    Slots slots = new Slots(10);
    assertThat(slots.retake(0)).isTrue();
    assertThat(slots.retake(2)).isTrue();
    assertThat(slots.take()).isEqualTo(1);
    assertThat(slots.take()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, -2, Integer.MIN_VALUE, 10, Integer.MAX_VALUE})
  void aSlotThatCannotHaveBeenGivenOutIsNotTaken(int slot) {
    Slots slots = new Slots(10);
    assertThat(slots.retake(slot)).isFalse();
    assertThat(slots.take()).isZero();
  }

  @Test
  void parallelTakersNeverShareASlot() throws Exception {
    Slots slots = new Slots(1000);
    List<Integer> taken = new ArrayList<>();
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> takers = new ArrayList<>();
      for (int i = 0; i < 1000; i++) {
        takers.add(threads.submit(slots::take));
      }
      for (Future<Integer> taker : takers) {
        taken.add(taker.get());
      }
    }
    assertThat(taken).doesNotHaveDuplicates().hasSize(1000);
  }
}
