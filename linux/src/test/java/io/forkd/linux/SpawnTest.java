package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class SpawnTest {
  private static final Path SHELL = Path.of("/bin/sh");
  private static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;
  private Path log;

  @BeforeEach
  void chooseLog() {
    log = folder.resolve("log");
  }

  private Spawn shell(String script) {
    return Spawn.of(SHELL, List.of("-c", script)).log(log);
  }

  private String outputOf(Spawn spawn) throws Exception {
    ExitStatus status = spawn.start().waitFor(LONG).orElseThrow();
    String output = Files.readString(log);
    assertThat(status).as(output).isEqualTo(new ExitStatus.Exited(0));
    return output;
  }

  @Test
  void reportsExitCodesAndSignals() throws Exception {
    assertThat(shell("exit 7").start().waitFor(LONG)).contains(new ExitStatus.Exited(7));
    assertThat(shell("kill -TERM $$").start().waitFor(LONG)).contains(new ExitStatus.Killed(15));
  }

  @Test
  void appendsOutputAndErrorToTheLogAndReadsNothing() throws Exception {
    Files.writeString(log, "before\n");
    assertThat(outputOf(shell("cat; echo out; echo err >&2"))).isEqualTo("before\nout\nerr\n");
  }

  @Test
  void inheritsNothingOfTheEnvironment() throws Exception {
    String output =
        outputOf(
            Spawn.of(Path.of("/usr/bin/env"), List.of()).environment(Map.of("A", "b c")).log(log));
    assertThat(output).isEqualTo("A=b c\n");
  }

  @Test
  void startsInItsWorkingDirectoryAsLeaderOfItsOwnSession() throws Exception {
    Path work = Files.createDirectory(folder.resolve("work"));
    String output =
        outputOf(shell("pwd; echo $$; cut -d' ' -f6 /proc/$$/stat").workingDirectory(work));
    String[] lines = output.split("\n");
    assertThat(lines[0]).isEqualTo(work.toRealPath().toString());
    assertThat(lines[2]).isEqualTo(lines[1]);
  }

  @Test
  void hasOnlyTheDescriptorsGivenAtTheNumbersAsked() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "from file");
    try (Fd first = HostFiles.open(file, OpenFlag.READ);
        Memfd second = Memfd.create("mine", 10);
        Fd unrelated = HostFiles.open(file, OpenFlag.READ).dupAbove(300)) {
      // Only the shell's own words, because every program it runs opens files of its own.
      String script =
          "cat <&3; echo; n=0; while [ $n -lt 1024 ]; do "
              + "[ -L /proc/$$/fd/$n ] && echo $n; n=$((n+1)); done; "
              + "readlink /proc/$$/fd/0 /proc/$$/fd/7";
      String output = outputOf(shell(script).descriptor(first, 3).descriptor(second.fd(), 7));
      assertThat(unrelated.isOpen()).isTrue();
      assertThat(output.lines())
          .containsExactly(
              "from file", "0", "1", "2", "3", "7", "/dev/null", "/memfd:mine (deleted)");
    }
  }

  @Test
  void swapsDescriptorsWhoseNumbersAreEachOthersTargets() throws Exception {
    Path one = Files.writeString(folder.resolve("one"), "one");
    Path two = Files.writeString(folder.resolve("two"), "two");
    try (Fd a = HostFiles.open(one, OpenFlag.READ);
        Fd b = HostFiles.open(two, OpenFlag.READ)) {
      Spawn spawn =
          shell("readlink /proc/$$/fd/%d /proc/$$/fd/%d".formatted(a.number(), b.number()))
              .descriptor(a, b.number())
              .descriptor(b, a.number());
      assertThat(outputOf(spawn)).isEqualTo("%s\n%s\n".formatted(two, one));
    }
  }

  @Test
  void startsWithNoSignalBlockedOrIgnored() throws Exception {
    String status = outputOf(Spawn.of(Path.of("/bin/cat"), List.of("/proc/self/status")).log(log));
    long blocked = Long.parseUnsignedLong(status.replaceAll("(?s).*SigBlk:\\s*(\\w+).*", "$1"), 16);
    long ignored = Long.parseUnsignedLong(status.replaceAll("(?s).*SigIgn:\\s*(\\w+).*", "$1"), 16);
    assertThat(blocked).isZero();
    // glibc itself ignores 32 and 33 in what it spawns: it keeps them for its own threads.
    assertThat(ignored & ~(3L << 31)).isZero();
  }

  @Test
  void runsAsAnotherUserWithoutAnyWayBack() throws Exception {
    String output =
        outputOf(
            shell(
                    "id -u; id -g; id -G; grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs' /proc/$$/status")
                .as(new Spawn.Identity(61234, 61235, List.of(61236))));
    assertThat(output).startsWith("61234\n61235\n61235 61236\n").contains("NoNewPrivs:\t1");
    assertThat(output.lines().filter(line -> line.startsWith("Cap")))
        .hasSize(5)
        .allMatch(line -> line.endsWith("\t0000000000000000"));
  }

  @Test
  void theStartedProgramIsTheChildItselfAlsoAsAnotherUser() throws Exception {
    Child child = shell("echo $$; id -G").as(new Spawn.Identity(61234, 61235, List.of())).start();
    assertThat(child.waitFor(LONG)).isPresent();
    assertThat(Files.readString(log)).isEqualTo(child.pid() + "\n61235\n");
  }

  @Test
  void aProgramThatIsMissingFailsAtTheStart() throws Exception {
    var before = Descriptors.open();
    assertThat(HostFilesTest.errno(() -> Spawn.of(Path.of("/no/such"), List.of("x")).start()))
        .isEqualTo(Errno.ENOENT);
    assertThat(
            HostFilesTest.errno(
                () -> shell("true").workingDirectory(folder.resolve("missing")).start()))
        .isEqualTo(Errno.ENOENT);
    assertThat(Descriptors.open()).isEqualTo(before);
  }

  @Test
  void refusesStandardDescriptorsRepeatedTargetsAndRelativePrograms() {
    try (Memfd memfd = Memfd.create("x", 0)) {
      assertThatThrownBy(() -> shell("true").descriptor(memfd.fd(), 2))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> shell("true").descriptor(memfd.fd(), 3).descriptor(memfd.fd(), 3))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> Spawn.of(Path.of("sh"), List.of()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void threeHundredInARowLeaveNoZombieAndNoDescriptor() throws Exception {
    shell("true").start().waitFor(LONG); // starts the watcher
    var before = Descriptors.open();
    for (int i = 0; i < 300; i++) {
      Child child = Spawn.of(Path.of("/bin/true"), List.of()).start();
      assertThat(child.waitFor(LONG)).contains(new ExitStatus.Exited(0));
      assertThat(Path.of("/proc/" + child.pid())).doesNotExist();
    }
    assertThat(Descriptors.open()).isEqualTo(before);
  }

  @Test
  void twentyAtOnceLeaveNoZombieAndNoDescriptorEvenIfNobodyWaits() throws Exception {
    shell("true").start().waitFor(LONG);
    var before = Descriptors.open();
    List<Child> children = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Child>> started = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        started.add(executor.submit(() -> Spawn.of(Path.of("/bin/true"), List.of()).start()));
      }
      for (Future<Child> future : started) {
        children.add(future.get());
      }
    }
    for (Child child : children) {
      assertThat(child.exit().get().success()).isTrue();
    }
    assertThat(Descriptors.open()).isEqualTo(before);
    assertThat(zombies()).isEmpty();
  }

  private static List<ProcStat> zombies() {
    long self = ProcessHandle.current().pid();
    return ProcessHandle.current()
        .children()
        .flatMap(handle -> ProcStat.of(handle.pid()).stream())
        .filter(stat -> stat.parent() == self && !stat.running())
        .toList();
  }

  @Test
  void theJvmsOwnChildrenAndOursDoNotTakeEachOthersStatus() throws Exception {
    for (int i = 0; i < 20; i++) {
      Process theirs = new ProcessBuilder("/bin/sh", "-c", "exit 3").start();
      Child ours = shell("exit 5").start();
      ProcessHandle.of(ours.pid()).ifPresent(handle -> handle.onExit().isDone());
      assertThat(theirs.waitFor()).isEqualTo(3);
      assertThat(ours.waitFor(LONG)).contains(new ExitStatus.Exited(5));
    }
  }
}
