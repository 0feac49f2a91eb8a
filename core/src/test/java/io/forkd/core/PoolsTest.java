package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Signal;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PoolsTest {
  private static final Tag TAG = FakeHost.TAG;
  private static final double NO_BUDGET = 1e9;

  @TempDir Path temp;
  private FakeHost host;
  private final List<Pools> opened = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    host = new FakeHost(temp.resolve("run"));
  }

  @AfterEach
  void close() throws IOException {
    opened.forEach(Pools::close);
    host.close();
  }

  private Pools pools(Pools.Nursery nursery) {
    Pools pools = new Pools(nursery, new Foreground(1), NO_BUDGET, file());
    opened.add(pools);
    return pools;
  }

  private PoolFile file() {
    return new PoolFile(temp.resolve("pools.json"));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(2);
    }
  }

  private static PoolStatus status(Pools pools) {
    return pools.list().stream().filter(each -> each.tag().equals(TAG)).findFirst().orElseThrow();
  }

  private static void awaitReady(Pools pools, int ready) throws InterruptedException {
    await(() -> status(pools).ready() == ready && status(pools).filling() == 0);
  }

  @Test
  void aPoolIsFilledToItsSizeAndStaysThere() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    assertThat(pools.set(TAG, 3).warm()).isEqualTo(3);
    awaitReady(pools, 3);
    assertThat(host.running()).isEqualTo(3);
    assertThat(pools.list()).hasSize(1);
  }

  @Test
  void whatIsTakenIsReplaced() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 2);
    awaitReady(pools, 2);
    LiveSandbox taken = pools.take(TAG).orElseThrow();
    awaitReady(pools, 2);
    assertThat(taken.hasEnded()).isFalse();
    assertThat(host.running()).isEqualTo(3);
    taken.end();
  }

  @Test
  void aTagWithoutAPoolHasNothingToTake() {
    assertThat(pools(tag -> host.sandbox()).take(TAG)).isEmpty();
  }

  @Test
  void aSmallerPoolEndsWhatIsTooMuch() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 3);
    awaitReady(pools, 3);
    assertThat(pools.set(TAG, 1).ready()).isEqualTo(1);
    assertThat(host.running()).isEqualTo(1);
    assertThat(host.workplaces.existing()).hasSize(1);
  }

  @Test
  void aPoolOfNoneIsNoPool() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 2);
    awaitReady(pools, 2);
    assertThat(pools.set(TAG, 0)).extracting(PoolStatus::warm, PoolStatus::ready).containsOnly(0);
    assertThat(pools.list()).isEmpty();
    assertThat(host.running()).isZero();
    assertThat(file().read()).isEmpty();
    pools.drop(TAG);
    assertThat(pools.list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 1001, Integer.MIN_VALUE, Integer.MAX_VALUE})
  void anImpossibleSizeIsTheCallersMistakeAndChangesNothing(int warm) {
    Pools pools = pools(tag -> host.sandbox());
    assertThatThrownBy(() -> pools.set(TAG, warm))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessage("warm is %d: use 0 to 1000.", warm);
    assertThat(pools.list()).isEmpty();
  }

  @Test
  void aFailureToMakeOneIsShown() throws Exception {
    Pools pools =
        pools(
            tag -> {
              throw new IllegalStateException("no room");
            });
    pools.set(TAG, 2);
    await(() -> status(pools).lastError().isPresent());
    assertThat(status(pools).lastError()).contains("no room");
    assertThat(status(pools).filling()).isZero();
  }

  @Test
  void oneBrokenPoolDoesNotKeepTheOthersEmpty() throws Exception {
    Pools pools =
        pools(
            tag -> {
              if (tag.equals(TAG)) {
                return host.sandbox();
              }
              throw new IllegalStateException("broken");
            });
    pools.set(Tag.of("broken"), 1);
    pools.set(TAG, 1);
    awaitReady(pools, 1);
  }

  @Test
  void aParkedChildThatDiesIsCleanedAwayAndReplaced() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 1);
    awaitReady(pools, 1);
    host.vms.getFirst().process().kill(Signal.KILL);
    await(() -> host.vms.size() == 2 && status(pools).ready() == 1);
    await(() -> host.workplaces.existing().size() == 1);
    assertThat(host.running()).isEqualTo(1);
  }

  @Test
  void aTakenChildThatDiesIsNotThePoolsBusiness() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 1);
    awaitReady(pools, 1);
    LiveSandbox taken = pools.take(TAG).orElseThrow();
    awaitReady(pools, 1);
    taken.vm().process().kill(Signal.KILL);
    taken.vm().process().exit().join();
    pools.set(TAG, 0);
    assertThat(taken.hasEnded()).isFalse();
    taken.end();
  }

  @Test
  void aChildMadeForAPoolThatIsGoneMeanwhileIsEnded() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch dropped = new CountDownLatch(1);
    Pools pools =
        pools(
            tag -> {
              begun.countDown();
              awaitLatch(dropped);
              return host.sandbox();
            });
    pools.set(TAG, 5);
    begun.await();
    pools.set(TAG, 0);
    dropped.countDown();
    await(() -> host.vms.size() == 1 && host.running() == 0);
    await(() -> host.workplaces.existing().isEmpty());
    assertThat(pools.list()).isEmpty();
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aChildThatCannotBeEndedIsCountedOnceAndRefillingGoesOn() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch shrunk = new CountDownLatch(1);
    AtomicInteger made = new AtomicInteger();
    Pools pools =
        pools(
            tag -> {
              begun.countDown();
              awaitLatch(shrunk);
              LiveSandbox child = host.sandbox();
              host.vms.getLast().refusesToDie = made.getAndIncrement() == 0;
              return child;
            });
    pools.set(TAG, 1);
    begun.await();
    pools.set(TAG, 0);
    shrunk.countDown();
    await(() -> host.workplaces.existing().isEmpty() && made.get() == 1);
    pools.set(TAG, 2);
    awaitReady(pools, 2);
    assertThat(made.get()).isEqualTo(3);
  }

  @Test
  void closingEndsAllAlsoWhenOneResists() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 3);
    awaitReady(pools, 3);
    host.vms.getLast().refusesToDie = true;
    pools.close();
    assertThat(host.running()).isZero();
    assertThat(host.workplaces.existing()).isEmpty();
    assertThat(file().read()).as("the next daemon has it again").isEqualTo(Map.of(TAG, 3));
  }

  @Test
  void closingDoesNotWaitForAChildBeingMade() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    Pools pools =
        pools(
            tag -> {
              begun.countDown();
              awaitLatch(new CountDownLatch(1));
              return host.sandbox();
            });
    pools.set(TAG, 1);
    begun.await();
    pools.close();
    assertThat(host.vms).isEmpty();
  }

  @Test
  void lettingGoLeavesParkedChildrenRunning() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    pools.set(TAG, 2);
    awaitReady(pools, 2);
    pools.abandon();
    assertThat(host.running()).isEqualTo(2);
    assertThat(host.workplaces.existing()).hasSize(2);
  }

  @Test
  void thePoolsOfAnEarlierDaemonAreFilledAgain() throws Exception {
    file().write(Map.of(TAG, 2));
    Pools pools = pools(tag -> host.sandbox());
    awaitReady(pools, 2);
  }

  @Test
  void poolsSetAtOnceAreAllRemembered() throws Exception {
    Pools pools =
        pools(
            tag -> {
              throw new IllegalStateException("none today");
            });
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<PoolStatus>> requests = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        Tag tag = Tag.of("tag-" + i);
        requests.add(threads.submit(() -> pools.set(tag, 1)));
      }
      for (Future<PoolStatus> request : requests) {
        assertThat(request.get().warm()).isEqualTo(1);
      }
    }
    assertThat(file().read()).hasSize(50);
    assertThat(pools.list()).hasSize(50).isSortedAccordingTo((a, b) -> a.tag().compareTo(b.tag()));
  }

  @Test
  void aPoolSetAndDroppedAtOnceLeavesNoChildBehind() throws Exception {
    Pools pools = pools(tag -> host.sandbox());
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<PoolStatus>> requests = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        int warm = i % 2;
        requests.add(threads.submit(() -> pools.set(TAG, warm)));
      }
      for (Future<PoolStatus> request : requests) {
        request.get();
      }
    }
    pools.set(TAG, 0);
    await(() -> host.running() == 0 && host.workplaces.existing().isEmpty());
  }
}
