package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import io.forkd.guest.ExecResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Live branches hold all they promise also where only the VMM can tell what a guest writes. */
@org.junit.jupiter.api.Tag("vm")
@Timeout(300)
class BranchByMigrationVmTest {
  private static final LiveTracking MIGRATION =
      new LiveTracking(BranchWay.MIGRATION, "by the test's choice");

  private static final VmLab LAB = VmLab.shared();

  private Set<Tag> before = Set.of();

  @BeforeAll
  static void onAHostWithoutAnyOtherWay() {
    LAB.reopenWith(MIGRATION);
  }

  @AfterAll
  static void onThisHostAgain() {
    LAB.reopen();
  }

  @BeforeEach
  void remember() {
    LAB.python();
    before = new HashSet<>(LAB.forkd().snapshots().stream().map(Snapshot::tag).toList());
  }

  @AfterEach
  void cleanUp() {
    LAB.killAll();
    LAB.removeAllBut(before);
  }

  private static Snapshot branch(Sandbox source, String name) {
    Snapshot taken =
        LAB.forkd()
            .branch(
                source.id(),
                new BranchSpec(
                    Optional.of(Tag.of(name)),
                    Optional.of(BranchMode.LIVE),
                    true,
                    Optional.empty(),
                    Optional.empty()));
    assertThat(taken.branch().orElseThrow().mode()).isEqualTo(BranchMode.LIVE);
    return taken;
  }

  private static Sandbox childOf(Snapshot snapshot) {
    return LAB.forkd()
        .fork(new ForkSpec(snapshot.tag(), 1, Optional.empty()))
        .sandboxes()
        .getFirst();
  }

  @Test
  void branchesOfBranchesHaveExactlyTheBytesOfTheirInstant() {
    Sandbox current = LAB.fork(1).getFirst();
    LAB.eval(current, BranchPropertyVmTest.WORLD);
    LAB.eval(current, "world = World(31)");
    List<Snapshot> taken = new ArrayList<>();
    List<String> digests = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      LAB.eval(current, "for _ in range(40): world.step()");
      digests.add(LAB.eval(current, "world.digest()"));
      taken.add(branch(current, "m" + i));
      LAB.eval(current, "for _ in range(20): world.step()");
      if (i == 1) {
        current = childOf(taken.getLast());
      }
    }
    for (int i = 0; i < taken.size(); i++) {
      assertThat(LAB.eval(childOf(taken.get(i)), "world.digest()"))
          .as(taken.get(i).tag().value())
          .isEqualTo(digests.get(i));
    }
  }

  @Test
  void aBusyGuestIsNeverTornAndLosesNothing() {
    Sandbox source = LAB.fork(1).getFirst();
    LAB.eval(source, BranchPropertyVmTest.WRITER);
    LAB.eval(source, "writer = Writer()");
    CompletableFuture<ExecResult> streamed =
        CompletableFuture.supplyAsync(
            () ->
                LAB.forkd()
                    .exec(
                        source.id(),
                        List.of(
                            "/bin/sh",
                            "-c",
                            "i=0; while [ ! -e /tmp/enough ]; do i=$((i+1)); echo $i; done"),
                        Duration.ofMinutes(3)));
    List<Snapshot> taken =
        IntStream.range(0, 5).mapToObj(i -> branch(source, "busy-" + i)).toList();
    LAB.sh(source, "touch /tmp/enough");
    List<String> numbers = streamed.join().stdout().lines().toList();
    assertThat(numbers)
        .isNotEmpty()
        .isEqualTo(IntStream.rangeClosed(1, numbers.size()).mapToObj(String::valueOf).toList());
    for (Snapshot snapshot : taken) {
      Sandbox grandchild = childOf(snapshot);
      assertThat(LAB.eval(grandchild, "writer.whole()"))
          .as(snapshot.tag().value())
          .isEqualTo("True");
      LAB.forkd().kill(grandchild.id());
    }
    assertThat(LAB.eval(source, "writer.whole()")).isEqualTo("True");
  }

  @Test
  void aSmallSandboxIsBranchedWhilePausedUnlessLiveIsAskedFor() {
    Sandbox source = LAB.fork(1).getFirst();
    assertThat(source.branchWay()).isEqualTo(BranchWay.MIGRATION);
    Snapshot taken = LAB.forkd().branch(source.id(), BranchSpec.of(Tag.of("small")));
    assertThat(taken.branch().orElseThrow().mode()).isEqualTo(BranchMode.DIFF);
  }
}
