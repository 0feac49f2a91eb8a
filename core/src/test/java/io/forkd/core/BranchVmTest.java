package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Branches of real sandboxes: what their children have, and what the source keeps. */
@org.junit.jupiter.api.Tag("vm")
@Timeout(300)
class BranchVmTest {
  private final VmLab lab = VmLab.shared();
  private Set<Tag> before = Set.of();

  @BeforeEach
  void remember() {
    lab.python();
    before = new HashSet<>(lab.forkd().snapshots().stream().map(Snapshot::tag).toList());
  }

  @AfterEach
  void cleanUp() {
    lab.killAll();
    lab.removeAllBut(before);
  }

  private static BranchSpec spec(String tag, BranchMode mode) {
    return new BranchSpec(
        Optional.of(Tag.of(tag)), Optional.of(mode), true, Optional.empty(), Optional.empty());
  }

  private Sandbox childOf(Tag tag) {
    return lab.forkd().fork(new ForkSpec(tag, 1, Optional.empty())).sandboxes().getFirst();
  }

  @ParameterizedTest
  @EnumSource
  void aBranchHasTheMemoryProcessesAndFilesOfItsInstant(BranchMode mode) {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "import socket, threading, time, subprocess");
    lab.eval(source, "big = bytearray(b'forkd' * 2_000_000); note = 'before'");
    lab.eval(source, "job = subprocess.Popen(['sleep', '1000'])");
    lab.eval(
        source,
        """
        server = socket.create_server(('127.0.0.1', 0))
        near = socket.create_connection(server.getsockname())
        far, _ = server.accept()
        _ = near.send(b'in flight')
        """);
    lab.sh(source, "mkdir -p /srv/data && echo one > /srv/data/kept && rm /etc/issue");

    Snapshot branch = lab.forkd().branch(source.id(), spec("b-" + mode, mode));
    lab.eval(source, "note = 'after'; big[0] = 0");
    lab.sh(source, "echo two > /srv/data/kept; echo new > /srv/data/later");

    assertThat(branch.status()).isEqualTo(Snapshot.Status.READY);
    assertThat(branch.branch().orElseThrow().mode()).isEqualTo(mode);
    assertThat(branch.branch().orElseThrow().pauseMs()).isPositive();
    assertThat(branch.branch().orElseThrow().deltaBytes()).isGreaterThan(10_000_000);
    Sandbox child = childOf(branch.tag());
    assertThat(lab.eval(child, "note, big[0], hash(bytes(big)) == hash(b'forkd' * 2_000_000)"))
        .isEqualTo("('before', 102, True)");
    assertThat(lab.eval(child, "far.recv(100)")).isEqualTo("b'in flight'");
    assertThat(lab.eval(child, "_ = far.send(b'back'); near.recv(100)")).isEqualTo("b'back'");
    assertThat(lab.eval(child, "job.poll() is None")).isEqualTo("True");
    assertThat(lab.sh(child, "cat /srv/data/kept; ls /srv/data; test -e /etc/issue || echo gone"))
        .isEqualTo("one\nkept\ngone");
    assertThat(lab.eval(source, "note, big[0], far.recv(100)"))
        .isEqualTo("('after', 0, b'in flight')");
    assertThat(lab.sh(source, "cat /srv/data/kept")).isEqualTo("two");
    assertThat(lab.forkd().sandbox(source.id()).branchCount()).isEqualTo(1);
    assertThat(branch.parent().isPresent()).isEqualTo(mode != BranchMode.FULL);
  }

  @Test
  void withoutAModeTheBestIsTakenAndWithoutATagOneIsMadeUp() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "pad = bytearray(b'x' * (70 << 20))"); // worth the best on every host
    Snapshot branch =
        lab.forkd()
            .branch(
                source.id(),
                new BranchSpec(
                    Optional.empty(), Optional.empty(), true, Optional.empty(), Optional.empty()));
    assertThat(branch.tag().value()).startsWith("branch-" + source.id() + "-");
    assertThat(branch.branch().orElseThrow().mode()).isEqualTo(lab.forkd().branching().best());
    assertThat(source.branchWay()).isEqualTo(lab.forkd().branching().way());
  }

  @Test
  void aBranchCanBeForkedWhileItIsBeingWrittenAndIsReadyLater() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "state = 'hot'; pad = bytearray(b'x' * (30 << 20))");
    Snapshot branch =
        lab.forkd()
            .branch(
                source.id(),
                new BranchSpec(
                    Optional.of(Tag.of("hot")),
                    Optional.empty(),
                    false,
                    Optional.empty(),
                    Optional.empty()));
    assertThat(branch.status()).isEqualTo(Snapshot.Status.WRITING);
    assertThat(lab.eval(childOf(branch.tag()), "state")).isEqualTo("'hot'");
    lab.await(() -> lab.forkd().snapshot(branch.tag()).status() == Snapshot.Status.READY);
    lab.reopen();
    assertThat(lab.eval(childOf(branch.tag()), "state")).isEqualTo("'hot'");
  }

  @Test
  void fiveChildrenOfARunningSandboxInOneCall() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "thought = [1, 2, 3]");
    FanOut fan =
        lab.forkd()
            .fanOut(
                source.id(),
                new FanOutSpec(
                    BranchSpec.of(Tag.of("fan")), 5, Optional.of(256), Optional.empty()));
    assertThat(fan.children().failures()).isEmpty();
    assertThat(fan.children().sandboxes()).hasSize(5);
    for (Sandbox child : fan.children().sandboxes()) {
      assertThat(lab.eval(child, "thought.append(len(thought)); thought"))
          .isEqualTo("[1, 2, 3, 3]");
    }
    assertThat(fan.children().sandboxes().stream().map(child -> child.proof().kernelUuid()))
        .doesNotHaveDuplicates();
    assertThat(lab.eval(source, "thought")).isEqualTo("[1, 2, 3]");
  }

  @Test
  void aChainIsForkedFromMemoryAndFromDiskAlike() {
    Sandbox current = lab.fork(1).getFirst();
    Tag tag = lab.python();
    for (int depth = 1; depth <= 4; depth++) {
      lab.eval(current, "trail%d = bytearray(b'%d' * (4 << 20))".formatted(depth, depth));
      lab.sh(current, "echo %d >> /srv/trail".formatted(depth));
      tag = lab.forkd().branch(current.id(), BranchSpec.of(Tag.of("chain-" + depth))).tag();
      current = childOf(tag);
    }
    assertThat(lab.forkd().snapshotDetail(tag).ancestors())
        .containsExactly(lab.python(), Tag.of("chain-1"), Tag.of("chain-2"), Tag.of("chain-3"));
    String look =
        "[set(x) == {ord(str(i + 1))} for i, x in enumerate([trail1, trail2, trail3, trail4])]";
    assertThat(lab.eval(current, look)).isEqualTo("[True, True, True, True]");
    lab.reopen();
    Sandbox again = childOf(tag);
    assertThat(lab.eval(again, look)).isEqualTo("[True, True, True, True]");
    assertThat(lab.sh(again, "cat /srv/trail")).isEqualTo("1\n2\n3\n4");
    assertThat(lab.forkd().branch(current.id(), BranchSpec.of(Tag.of("chain-5"))).chainDepth())
        .as("a sandbox adopted by a later daemon can be branched too")
        .isEqualTo(5);
  }

  @Test
  void aDeepChainWhoseDeltasAreMergedIsStillRight() {
    Sandbox current = lab.fork(1).getFirst();
    lab.eval(current, "trail = []; pages = bytearray(2 << 20)");
    Tag tag = lab.python();
    for (int depth = 1; depth <= 11; depth++) {
      lab.eval(
          current,
          "trail.append(%d); pages[%d::4096] = b'%c' * (len(pages) // 4096)"
              .formatted(depth, depth, 'a' + depth));
      tag = lab.forkd().branch(current.id(), BranchSpec.of(Tag.of("deep-" + depth))).tag();
      lab.forkd().kill(current.id());
      current = childOf(tag);
    }
    String look = "trail, bytes(pages[:12]), bytes(pages[-4096:-4084])";
    String expected =
        "([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11], b'\\x00bcdefghijkl', b'\\x00bcdefghijkl')";
    assertThat(lab.eval(current, look)).isEqualTo(expected);
    lab.reopen();
    assertThat(lab.eval(childOf(tag), look)).isEqualTo(expected);
    assertThat(lab.forkd().snapshot(tag).chainDepth()).isEqualTo(11);
  }

  @Test
  void siblingsShareTheDeltasPages() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "big = bytearray(b'x' * (64 << 20))");
    Tag tag = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("shared"))).tag();
    Sandbox child =
        lab.forkd()
            .fork(new ForkSpec(tag, 1, Optional.empty(), true, Optional.empty()))
            .sandboxes()
            .getFirst();
    assertThat(child.restored().orElseThrow().guestRamKib()).isLessThan(16 << 10);
  }

  @Test
  void aSandboxGoesBackToACheckpointAndKeepsItsId() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "score = 1");
    lab.sh(source, "echo one > /srv/file");
    Tag checkpoint = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("check"))).tag();
    lab.eval(source, "score = 2; extra = 'lost'");
    lab.sh(source, "echo two > /srv/file; echo x > /srv/extra");
    String machine = lab.sh(source, "cat /etc/machine-id; hostname");

    Sandbox back = lab.forkd().rollback(source.id(), checkpoint);

    assertThat(back.id()).isEqualTo(source.id());
    assertThat(back.pid()).isNotEqualTo(source.pid());
    assertThat(lab.eval(back, "score, 'extra' in globals()")).isEqualTo("(1, False)");
    assertThat(lab.sh(back, "cat /srv/file; ls /srv")).isEqualTo("one\nfile");
    assertThat(lab.sh(back, "cat /etc/machine-id; hostname")).isEqualTo(machine);
    assertThat(HostTraces.of(lab).vmmProcesses()).as("the old process is gone").hasSize(1);

    lab.reopenAfterCrash();
    assertThat(lab.eval(back, "score")).as("and a later daemon finds it").isEqualTo("1");
    lab.forkd().branch(back.id(), BranchSpec.of(Tag.of("after")));
    lab.forkd().rollback(back.id(), checkpoint);
    assertThat(lab.eval(back, "score")).isEqualTo("1");
  }

  @Test
  void aSandboxCannotGoBackToAStranger() {
    Sandbox source = lab.fork(1).getFirst();
    assertThatThrownBy(() -> lab.forkd().rollback(source.id(), Tag.of("nobody")))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
    assertThat(lab.eval(source, "1 + 1")).isEqualTo("2");
  }

  @Test
  void aParentIsKeptWhileSomethingDependsOnIt() {
    Sandbox source = lab.fork(1).getFirst();
    Tag first = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("dep-1"))).tag();
    Sandbox child = childOf(first);
    Tag second = lab.forkd().branch(child.id(), BranchSpec.of(Tag.of("dep-2"))).tag();
    assertThatThrownBy(() -> lab.forkd().removeSnapshot(first, RemoveMode.SAFE))
        .hasMessageContaining("dep-2");
    lab.forkd().removeSnapshot(first, RemoveMode.FORCE);
    // An idle guest may not change a byte between two branches, which then are the same content.
    lab.sh(source, "echo later > /srv/later");
    lab.forkd().branch(source.id(), BranchSpec.of(first));
    assertThatThrownBy(() -> childOf(second)).hasMessageContaining("dep-1");
    assertThat(lab.forkd().removeSnapshot(first, RemoveMode.CASCADE)).contains(first, second);
  }

  @Test
  void aSandboxWhoseSnapshotIsGoneIsNotBranchedOntoAnother() {
    Sandbox source = lab.fork(1).getFirst();
    Tag origin = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("origin"))).tag();
    Sandbox child = childOf(origin);
    assertThatThrownBy(() -> lab.forkd().removeSnapshot(origin, RemoveMode.SAFE))
        .hasMessageContaining(child.id().value());
    lab.forkd().removeSnapshot(origin, RemoveMode.FORCE);
    assertThatThrownBy(() -> lab.forkd().branch(child.id(), BranchSpec.of(Tag.of("orphan"))))
        .hasMessageContaining("its snapshot origin was removed");
    lab.forkd().branch(source.id(), BranchSpec.of(origin));
    assertThatThrownBy(() -> lab.forkd().branch(child.id(), BranchSpec.of(Tag.of("orphan"))))
        .hasMessageContaining("now means another");
    assertThat(lab.eval(child, "1 + 1")).as("it runs on").isEqualTo("2");
    assertThat(tags()).containsExactly(origin);
  }

  @Test
  void aFilledCapSaysToTryAgain() {
    List<Sandbox> sources = lab.fork(8);
    List<CompletableFuture<String>> answers =
        IntStream.range(0, 8)
            .mapToObj(i -> CompletableFuture.supplyAsync(() -> tryBranch(sources.get(i), i)))
            .toList();
    List<String> said = answers.stream().map(CompletableFuture::join).toList();
    assertThat(said)
        .contains("taken")
        .allMatch(each -> each.equals("taken") || each.equals("FULL"));
    assertThat(lab.forkd().branching().inFlight()).isZero();
  }

  private String tryBranch(Sandbox source, int number) {
    try {
      lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("cap-" + number)));
      return "taken";
    } catch (ForkdException e) {
      return e.code().name();
    }
  }

  @Test
  void comparisonTellsFilesPagesAndProcesses() {
    Sandbox source = lab.fork(1).getFirst();
    Tag point = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("compared"))).tag();
    lab.sh(source, "echo changed >> /etc/profile; echo new > /srv/new; rm /etc/issue");
    lab.eval(source, "import subprocess; job = subprocess.Popen(['sleep', '999'])");
    lab.eval(source, "ballast = bytearray(b'b' * (8 << 20))");
    Difference difference =
        lab.forkd()
            .compare(new Subject.OfSnapshot(point), new Subject.OfSandbox(source.id()), true);
    assertThat(difference.files())
        .extracting(Difference.FileChange::path, Difference.FileChange::kind)
        .contains(
            tuple("/etc/issue", Difference.Kind.REMOVED),
            tuple("/etc/profile", Difference.Kind.CHANGED),
            tuple("/srv/new", Difference.Kind.ADDED));
    assertThat(difference.pages().differing()).isBetween(2048L, 20_000L);
    assertThat(difference.processes().onlyB()).anyMatch(process -> process.contains("sleep"));
    assertThat(lab.forkd().sandboxes()).as("the child made for it is gone").hasSize(1);
    assertThat(HostTraces.of(lab).vmmProcesses()).hasSize(1);
  }

  @Test
  void aSandboxEndsWhenItsTimeIsOver() {
    Sandbox child =
        lab.forkd()
            .fork(
                new ForkSpec(
                    lab.python(), 1, Optional.empty(), false, Optional.of(Duration.ofSeconds(1))))
            .sandboxes()
            .getFirst();
    assertThat(child.expiresAt()).isPresent();
    lab.await(() -> lab.forkd().sandboxes().isEmpty());
    assertThatThrownBy(() -> lab.forkd().ping(child.id())).hasMessageContaining("time to live");
  }

  @Test
  void aCompactedChainNeedsNoParent() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, "kept = bytearray(b'k' * (8 << 20))");
    Tag delta = lab.forkd().branch(source.id(), BranchSpec.of(Tag.of("to-flatten"))).tag();
    Snapshot flat = lab.forkd().compact(delta, Tag.of("flat"));
    assertThat(flat.parent()).isEmpty();
    lab.forkd().removeSnapshot(delta, RemoveMode.SAFE);
    assertThat(lab.eval(childOf(flat.tag()), "set(kept) == {ord('k')}")).isEqualTo("True");
  }

  @Test
  void branchesBeyondTheLastFewAndExpiredOnesAreCollected() {
    Sandbox source = lab.fork(1).getFirst();
    for (int i = 0; i < 4; i++) {
      lab.forkd()
          .branch(
              source.id(),
              new BranchSpec(
                  Optional.of(Tag.of("keep-" + i)),
                  Optional.empty(),
                  true,
                  Optional.empty(),
                  Optional.of(2)));
    }
    lab.await(() -> tags().equals(List.of(Tag.of("keep-2"), Tag.of("keep-3"))));
    lab.forkd()
        .branch(
            source.id(),
            new BranchSpec(
                Optional.of(Tag.of("short")),
                Optional.empty(),
                true,
                Optional.of(Duration.ofSeconds(1)),
                Optional.empty()));
    lab.await(() -> !tags().contains(Tag.of("short")));
  }

  private List<Tag> tags() {
    return lab.forkd().snapshots().stream()
        .map(Snapshot::tag)
        .filter(tag -> !before.contains(tag))
        .sorted()
        .toList();
  }
}
