package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What must hold of every child: it is its own machine, and it is the parent's equal otherwise. */
@Tag("vm")
class ForkVmTest {
  private final VmLab lab = VmLab.shared();

  @AfterEach
  void endSandboxes() {
    lab.killAll();
  }

  @Test
  void childrenAnswerWithTheParentsImports() {
    for (Sandbox child : lab.fork(4)) {
      assertThat(lab.eval(child, "numpy.zeros(5).tolist()")).isEqualTo("[0.0, 0.0, 0.0, 0.0, 0.0]");
      assertThat(lab.eval(child, "np is numpy")).isEqualTo("True");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "open('/proc/sys/kernel/random/uuid').read()",
        "open('/proc/sys/kernel/random/boot_id').read()",
        "__import__('os').urandom(16).hex()",
        "__import__('random').random()",
        "numpy.random.random()",
        "__import__('uuid').uuid4().hex",
        "__import__('secrets').token_hex()",
        "__import__('socket').gethostname()",
        "open('/etc/hostname').read()",
        "open('/etc/machine-id').read()",
        "open('/run/forkd/sandbox-id').read()",
      })
  void noTwoChildrenDrawTheSame(String expression) {
    List<String> draws = lab.fork(3).stream().map(child -> lab.eval(child, expression)).toList();

    assertThat(draws).doesNotHaveDuplicates();
  }

  @Test
  void clocksAreTheHosts() {
    for (Sandbox child : lab.fork(2)) {
      double guest = Double.parseDouble(lab.eval(child, "__import__('time').time()"));
      assertThat(guest).isCloseTo(System.currentTimeMillis() / 1000.0, within(1.0));
      assertThat(child.proof().clockErrorMs()).isBetween(-1000L, 1000L);
    }
  }

  @Test
  void theProofSaysWhatTheChildShows() {
    Sandbox child = lab.fork(1).getFirst();

    assertThat(child.proof().hostname()).isEqualTo(child.id().value());
    assertThat(lab.sh(child, "cat /proc/sys/kernel/hostname")).isEqualTo(child.proof().hostname());
    assertThat(lab.sh(child, "cat /etc/machine-id")).isEqualTo(child.proof().machineId());
    assertThat(lab.sh(child, "cat /proc/sys/kernel/random/boot_id"))
        .isEqualTo(child.proof().bootId());
    assertThat(child.proof().crngReseeded()).isTrue();
    assertThat(child.proof().entropyBytes()).isEqualTo(64);
    assertThat(child.proof().hooks()).contains("python:random", "python:numpy.random");
    assertThat(lab.forkd().sandbox(child.id()).proof()).isEqualTo(child.proof());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/etc/passwd",
        "/usr/lib/python3/dist-packages/numpy/version.py",
        "/root/new",
        "/tmp/new",
        "/run/new",
        "/dev/shm/new",
        "/var/lib/new"
      })
  void aWriteToAnyFileStaysInItsChild(String file) {
    String before = contentHash();
    List<Sandbox> children = lab.fork(2);
    Function<Sandbox, String> look =
        child ->
            lab.sh(
                child,
                "cat '%s' 2>/dev/null | md5sum; ls -l '%s' 2>&1 || true".formatted(file, file));
    String untouched = look.apply(children.get(1));

    lab.sh(children.get(0), "echo mine > '%s'".formatted(file));

    assertThat(lab.sh(children.get(0), "cat '%s'".formatted(file))).isEqualTo("mine");
    assertThat(look.apply(children.get(1))).isEqualTo(untouched);
    assertThat(look.apply(lab.fork(1).getFirst())).isEqualTo(untouched);
    assertThat(contentHash()).isEqualTo(before);
  }

  @Test
  void memoryOfOneChildIsInvisibleToTheOthers() {
    List<Sandbox> children = lab.fork(3);

    lab.eval(children.get(0), "x = 'first'; numpy.answer = 1");

    assertThat(lab.eval(children.get(0), "x")).isEqualTo("'first'");
    assertThat(lab.eval(children.get(1), "'x' in globals() or hasattr(numpy, 'answer')"))
        .isEqualTo("False");
    assertThat(lab.eval(lab.fork(1).getFirst(), "'x' in globals()")).isEqualTo("False");
  }

  @Test
  void evalKeepsStateRunsStatementsAndReportsErrors() {
    Sandbox child = lab.fork(1).getFirst();
    Forkd forkd = lab.forkd();

    assertThat(lab.eval(child, "total = 0\nfor i in range(10):\n  total += i\ntotal"))
        .isEqualTo("45");
    EvalResult printed = forkd.eval(child.id(), "print('hello', total)", VmLab.WAIT);
    assertThat(printed.stdout()).isEqualTo("hello 45\n");
    assertThat(printed.result()).isEmpty();
    EvalResult failed = forkd.eval(child.id(), "1 +\n 'x'[", VmLab.WAIT);
    assertThat(failed.exitCode()).isEqualTo(1);
    assertThat(failed.error().orElse("")).startsWith("SyntaxError");
    EvalResult raised = forkd.eval(child.id(), "def f():\n  return 1 / 0\nf()", VmLab.WAIT);
    assertThat(raised.error()).hasValue("ZeroDivisionError: division by zero");
    assertThat(raised.traceback().orElse("")).contains("return 1 / 0");
  }

  @Test
  void theRecipesEnvironmentReachesPrograms() {
    Sandbox child = lab.fork(1).getFirst();

    assertThat(lab.sh(child, "echo $OMP_NUM_THREADS $FORKD_SANDBOX_ID"))
        .isEqualTo("1 " + child.id());
    assertThat(lab.eval(child, "__import__('os').environ['OMP_NUM_THREADS']")).isEqualTo("'1'");
  }

  @Test
  void execTellsStreamsAndCodesApart() {
    Sandbox child = lab.fork(1).getFirst();

    ExecResult result =
        lab.forkd()
            .exec(
                child.id(), List.of("/bin/sh", "-c", "echo out; echo err >&2; exit 7"), VmLab.WAIT);

    assertThat(result.stdout()).isEqualTo("out\n");
    assertThat(result.stderr()).isEqualTo("err\n");
    assertThat(result.exitCode()).isEqualTo(7);
    assertThat(lab.forkd().exec(child.id(), List.of("/no/such"), VmLab.WAIT).exitCode())
        .isEqualTo(127);
  }

  @Test
  void aRestoredChildHasCopiedNoGuestMemory() {
    ForkResult result =
        lab.forkd().fork(new ForkSpec(lab.python(), 2, Optional.empty(), true, Optional.empty()));

    assertThat(result.sandboxes())
        .allSatisfy(
            child -> assertThat(child.restored().orElseThrow().guestRamKib()).isLessThan(512));
  }

  @Test
  void theVmmIsNobodyInItsOwnSession() throws Exception {
    Sandbox child = lab.fork(1).getFirst();
    var status =
        java.nio.file.Files.readString(java.nio.file.Path.of("/proc/" + child.pid() + "/status"));

    assertThat(status).containsPattern("Uid:\\s+18790481\\d\\d").contains("NoNewPrivs:\t1");
    assertThat(status).contains("CapEff:\t0000000000000000").contains("Seccomp:\t2");
    assertThat(io.forkd.linux.ProcStat.of(child.pid()).orElseThrow().session())
        .isEqualTo(child.pid());
  }

  @Test
  void aMemoryLimitHoldsTheVmm() throws Exception {
    ForkResult result = lab.forkd().fork(new ForkSpec(lab.python(), 1, Optional.of(96)));
    Sandbox child = result.sandboxes().getFirst();
    assertThat(child.memoryLimitMib()).hasValue(96);

    // The guest may have 512 MiB, its VMM only 96: the hog is ended and its neighbours are not.
    Sandbox neighbour = lab.fork(1).getFirst();
    org.assertj.core.api.Assertions.assertThatThrownBy(
            () ->
                lab.forkd()
                    .eval(child.id(), "hog = numpy.random.bytes(200 << 20); len(hog)", VmLab.WAIT))
        .isInstanceOf(io.forkd.base.ForkdException.class);
    assertThat(lab.eval(neighbour, "1 + 1")).isEqualTo("2");
  }

  private String contentHash() {
    Snapshot snapshot = lab.forkd().snapshot(lab.python());
    try (var file = io.forkd.store.StoredSnapshot.open(snapshot.dir().resolve("memory.img"))) {
      return io.forkd.linux.PageDigest.of(file) + snapshot.contentHash();
    }
  }
}
