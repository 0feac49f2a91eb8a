package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.FileSystemInfo;
import io.forkd.linux.HostRoom;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class AdmissionTest {
  private static final int SLOTS = 4096;
  private static final long GIB = 1L << 30;
  private static final HostRoom PLENTY = new HostRoom(64 * GIB, 60 * GIB, 50, 65536, 200, 32768);

  private final List<Limits> running = new CopyOnWriteArrayList<>();
  private HostRoom host = PLENTY;

  private static Policy policy(
      @Nullable Integer sandboxes, @Nullable Long memoryMib, @Nullable Long reservedMib) {
    return new Policy(
        Limits.NONE,
        Egress.INTERNET,
        Optional.ofNullable(sandboxes),
        Optional.ofNullable(memoryMib),
        Optional.ofNullable(reservedMib),
        true);
  }

  private Admission admission(Policy policy) {
    DiskBudget disk =
        new DiskBudget(
            Path.of("/data"), () -> new FileSystemInfo("ext4", 10 * GIB, 9 * GIB, 8 * GIB, 1));
    return new Admission(policy, SLOTS, () -> running, () -> host, disk);
  }

  private static Limits memory(int mib) {
    return Limits.ofMemory(Optional.of(mib));
  }

  private static void assertFull(ThrowingCallable call, String... parts) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL))
        .hasMessageContainingAll(parts);
  }

  @Test
  void whatIsLetInCountsFromThenOn() {
    Admission admission = admission(policy(3, null, null));
    running.add(Limits.NONE);
    Admission.Reservation two = admission.admit(2, Limits.NONE);
    assertFull(
        () -> admission.admit(1, Limits.NONE),
        "no room for another sandbox: 3 of at most 3 running sandboxes are used, and 1 more are"
            + " needed",
        "forkd ls");
    two.close();
    admission.admit(1, Limits.NONE).close();
  }

  @Test
  void aRequestForSeveralIsLetInWholeOrNotAtAll() {
    Admission admission = admission(policy(3, null, null));
    assertFull(() -> admission.admit(4, Limits.NONE), "no room for 4 more sandboxes");
    admission.admit(3, Limits.NONE).close();
  }

  @Test
  void aSandboxThatHasArrivedIsCountedOnce() {
    Admission admission = admission(policy(2, null, null));
    try (Admission.Reservation room = admission.admit(2, memory(64))) {
      room.settle(() -> running.add(memory(64)));
      assertThat(admission.capacity().budgets())
          .contains(
              new Capacity.Budget("sandboxes", 2, 2),
              new Capacity.Budget("memory_limits_mib", 128, 0));
    }
    assertThat(admission.capacity().budgets())
        .contains(
            new Capacity.Budget("sandboxes", 1, 2),
            new Capacity.Budget("memory_limits_mib", 64, 0));
  }

  @Test
  void oneThatFailsToArriveGivesItsRoomBackAtTheEnd() {
    Admission admission = admission(policy(1, null, null));
    try (Admission.Reservation room = admission.admit(1, Limits.NONE)) {
      assertThatThrownBy(
              () ->
                  room.settle(
                      () -> {
                        throw new IllegalStateException("no table");
                      }))
          .hasMessage("no table");
      assertFull(() -> admission.admit(1, Limits.NONE), "1 of at most 1");
    }
    admission.admit(1, Limits.NONE).close();
  }

  @Test
  void closingTwiceGivesBackOnce() {
    Admission admission = admission(policy(2, null, null));
    Admission.Reservation one = admission.admit(1, Limits.NONE);
    Admission.Reservation other = admission.admit(1, Limits.NONE);
    one.close();
    one.close();
    admission.admit(1, Limits.NONE);
    assertFull(() -> admission.admit(1, Limits.NONE), "2 of at most 2");
    other.close();
  }

  @Test
  void withoutAPolicyTheSlotsAreTheBound() {
    assertFull(() -> admission(Policy.DEFAULT).admit(SLOTS + 1, Limits.NONE), "4096");
    assertFull(() -> admission(policy(9999, null, null)).admit(SLOTS + 1, Limits.NONE), "4096");
  }

  @Test
  void memoryLimitsAreSummedUp() {
    Admission admission = admission(policy(null, 1000L, null));
    running.add(memory(500));
    assertFull(
        () -> admission.admit(2, memory(251)),
        "500 of at most 1000 MiB of memory limits are used, and 502 more are needed",
        "lower memory limit");
    admission.admit(2, memory(250)).close();
  }

  @Test
  void whereMemoryIsBudgetedEverySandboxNeedsALimit() {
    assertThatThrownBy(() -> admission(policy(null, 1000L, null)).admit(1, Limits.NONE))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining("memory_limit_mib");
  }

  @Test
  void aHigherLimitOfARunningSandboxIsAdmittedToo() {
    Admission admission = admission(policy(null, 1000L, null));
    running.add(memory(600));
    assertFull(() -> admission.admitChange(memory(600), memory(1001)), "401 more");
    try (Admission.Reservation more = admission.admitChange(memory(600), memory(900))) {
      assertFull(() -> admission.admit(1, memory(101)), "900 of at most 1000");
      more.settle(() -> running.set(0, memory(900)));
      assertThat(admission.capacity().budgets())
          .contains(new Capacity.Budget("memory_limits_mib", 900, 1000));
    }
    assertThat(admission.capacity().budgets())
        .contains(new Capacity.Budget("memory_limits_mib", 900, 1000));
    admission.admitChange(memory(900), memory(16)).close();
  }

  @Test
  void theHostKeepsSomeOfItsMemory() {
    host = new HostRoom(4096L << 20, 306L << 20, 50, 65536, 200, 32768);
    assertFull(
        () -> admission(Policy.DEFAULT).admit(3, Limits.NONE),
        "no room for 3 more sandboxes: 3790 of at most 3840 MiB of the host's memory are used,"
            + " and 72 more are needed");
    admission(Policy.DEFAULT).admit(2, Limits.NONE).close();
    assertFull(() -> admission(policy(null, null, 300L)).admit(1, Limits.NONE), "3796");
    admission(policy(null, null, 0L)).admit(12, Limits.NONE).close();
  }

  @Test
  void forksUnderWayCountAgainstTheHostsMemoryBeforeTheyUseIt() {
    host = new HostRoom(4096L << 20, 306L << 20, 50, 65536, 200, 32768);
    Admission admission = admission(Policy.DEFAULT);
    Admission.Reservation first = admission.admit(2, Limits.NONE);
    assertFull(() -> admission.admit(1, Limits.NONE), "3838 of at most 3840 MiB");
    assertFull(() -> admission.requireHost(1), "3838 of at most 3840 MiB");
    first.close();
    admission.requireHost(1);
  }

  @Test
  void descriptorsAndThreadsRunOutToo() {
    host = new HostRoom(64 * GIB, 60 * GIB, 1020, 1024, 200, 32768);
    assertFull(
        () -> admission(Policy.DEFAULT).admit(1, Limits.NONE), "1024 open files of the daemon");
    host = new HostRoom(64 * GIB, 60 * GIB, 20, Long.MAX_VALUE, 32764, 32768);
    assertFull(() -> admission(Policy.DEFAULT).admit(1, Limits.NONE), "threads of the host");
  }

  @Test
  void allBudgetsAreTold() {
    host = new HostRoom(8 * GIB, 6 * GIB, 20, Long.MAX_VALUE, 200, 32768);
    assertThat(admission(policy(10, null, 1024L)).capacity().budgets())
        .containsExactly(
            new Capacity.Budget("sandboxes", 0, 10),
            new Capacity.Budget("memory_limits_mib", 0, 0),
            new Capacity.Budget("host_memory_mib", 2048, 7168),
            new Capacity.Budget("disk_mib", 2048, 10240 - 256),
            new Capacity.Budget("open_files", 20, 0),
            new Capacity.Budget("threads", 200, 32768));
  }

  /** Many ask, arrive, fail and end at once; whoever is let in finds room, and none is lost. */
  @Test
  void noBudgetIsExceededHoweverManyAskAtOnce() throws Exception {
    int mostSandboxes = 20;
    long mostMib = 2000;
    Admission admission = admission(policy(mostSandboxes, mostMib, null));
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger arrived = new AtomicInteger();
    List<Future<?>> askers = new ArrayList<>();
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      for (int t = 0; t < 16; t++) {
        Random random = new Random(t);
        askers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 300; i++) {
                    forkSome(admission, random, arrived, refused);
                    assertWithin(mostSandboxes, mostMib);
                  }
                }));
      }
    }
    for (Future<?> asker : askers) {
      asker.get();
    }
    assertThat(arrived).hasPositiveValue();
    assertThat(refused).hasPositiveValue();
    running.clear();
    admission.admit(mostSandboxes, memory(100)).close();
  }

  private void forkSome(
      Admission admission, Random random, AtomicInteger arrived, AtomicInteger refused) {
    int n = 1 + random.nextInt(4);
    Limits each = memory(50 + random.nextInt(200));
    try (Admission.Reservation room = admission.admit(n, each)) {
      for (int child = 0; child < n; child++) {
        if (random.nextInt(4) > 0) {
          room.settle(() -> running.add(each));
          arrived.incrementAndGet();
        }
      }
    } catch (ForkdException e) {
      refused.incrementAndGet();
    }
    if (random.nextBoolean()) {
      running.remove(each);
    }
  }

  private void assertWithin(int mostSandboxes, long mostMib) {
    Limits[] now = running.toArray(Limits[]::new);
    long mib = 0;
    for (Limits limits : now) {
      mib += limits.memoryMib().orElseThrow();
    }
    if (now.length > mostSandboxes || mib > mostMib) {
      throw new AssertionError("%d sandboxes with %d MiB".formatted(now.length, mib));
    }
  }
}
