package io.forkd.guest;

import static io.forkd.guest.Specs.as;
import static io.forkd.guest.Specs.in;
import static io.forkd.guest.Specs.sh;
import static io.forkd.guest.Specs.tagged;
import static io.forkd.guest.Specs.with;
import static io.forkd.guest.Specs.within;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Programs that are started in a guest: what they are given and how they end. */
@Timeout(120)
class ProcessTest {
  private static final String HOME = System.getenv().getOrDefault("HOME", "/");

  @RegisterExtension final RunningAgent guest = new RunningAgent(HostAgent::start);

  private ProcessTable processes;

  @BeforeEach
  void start() {
    processes = guest.agent().processes();
  }

  @Test
  void outputComesOnItsChannelAndThenTheExitCode() throws Exception {
    Heard heard = run(sh("echo out; echo err >&2; exit 3"));
    assertThat(heard.stdout()).isEqualTo("out\n");
    assertThat(heard.stderr()).isEqualTo("err\n");
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Exited(3));
  }

  @Test
  void outputComesWhileTheProgramRuns() throws Exception {
    try (ProcessStream stream = processes.start(Specs.withInput("echo first; read x; echo $x"))) {
      assertThat(Heard.until(stream, "first").stdout()).isEqualTo("first\n");
      assertThat(stream.next(Duration.ZERO)).isEmpty();
      try (var input = processes.input(new ProcessRef.Pid(stream.pid()))) {
        input.write("second\n".getBytes(UTF_8));
      }
      assertThat(Heard.all(stream).stdout()).isEqualTo("second\n");
      assertThat(stream.next(Duration.ofSeconds(60))).isEmpty();
    }
  }

  @Test
  void theOrderOfBothChannelsIsKeptWhereItCanBeTold() throws Exception {
    try (ProcessStream stream =
        processes.start(Specs.withInput("echo 1; read x; echo 2 >&2; read x; echo 3"))) {
      try (var input = processes.input(new ProcessRef.Pid(stream.pid()))) {
        assertThat(Heard.until(stream, "1").stdout()).isEqualTo("1\n");
        input.write('\n');
        assertThat(Heard.until(stream, "2").stderr()).isEqualTo("2\n");
        input.write('\n');
        assertThat(Heard.all(stream).stdout()).isEqualTo("3\n");
      }
    }
    try (ProcessStream again = processes.attach(newest(), true)) {
      StringBuilder order = new StringBuilder();
      for (int i = 0; i < 3; i++) {
        var output = (ProcessEvent.Output) again.next(HostAgent.PATIENCE).orElseThrow();
        order.append(output.channel()).append(new String(output.bytes(), UTF_8));
      }
      assertThat(order).hasToString("STDOUT1\nSTDERR2\nSTDOUT3\n");
    }
  }

  private ProcessRef newest() {
    return new ProcessRef.Pid(processes.list().getLast().pid());
  }

  @Test
  void aSignalIsToldApartFromAnExitCode() throws Exception {
    assertThat(run(sh("kill -TERM $$")).end()).isEqualTo(new ProcessEnd.Signalled(15, false));
    assertThat(run(sh("exit 143")).end()).isEqualTo(new ProcessEnd.Exited(143));
  }

  @Test
  void aTimeoutKillsTheWholeGroup() throws Exception {
    Heard heard = run(within(sh("sleep 1000 & echo $!; wait"), Duration.ofMillis(300)));
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Signalled(9, true));
    long child = Long.parseLong(heard.stdout().strip());
    Deadline deadline = Deadline.in(HostAgent.PATIENCE);
    while (ProcessHandle.of(child).filter(ProcessHandle::isAlive).isPresent()) {
      assertThat(deadline.passed()).isFalse();
      HostAgent.sleep();
    }
    assertThat(only().end()).contains(new ProcessEnd.Signalled(9, true));
  }

  @Test
  void aProgramThatEndsInTimeIsNotCalledLate() throws Exception {
    Heard heard = run(within(sh("kill -KILL $$"), Duration.ofSeconds(100)));
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Signalled(9, false));
  }

  @Test
  void withoutInputItReadsAnEndAtOnce() throws Exception {
    assertThat(run(sh("cat; echo done")).stdout()).isEqualTo("done\n");
  }

  @Test
  void theFolderIsTheHomeOrBeginsThere() throws Exception {
    assertThat(run(sh("pwd")).stdout()).isEqualTo(HOME + "\n");
    assertThat(run(in(sh("pwd"), "/usr")).stdout()).isEqualTo("/usr\n");
    Path folder = Files.createTempDirectory(Path.of(HOME), "forkd-cwd");
    try {
      String name = String.valueOf(folder.getFileName());
      assertThat(run(in(sh("pwd"), name)).stdout()).isEqualTo(folder + "\n");
      assertThat(run(in(sh("pwd"), "~/" + name)).stdout()).isEqualTo(folder + "\n");
    } finally {
      Files.delete(folder);
    }
  }

  @Test
  void theEnvironmentIsTheSandboxsWithWhatIsGiven() throws Exception {
    guest.agent().setEnvironment(Map.of("BOTH", "sandbox", "ONE", "1"), HostAgent.PATIENCE);
    Heard heard = run(with(sh("echo $BOTH $ONE"), Map.of("BOTH", "given")));
    assertThat(heard.stdout()).isEqualTo("given 1\n");
    assertThat(run(with(sh("echo $HOME"), Map.of("HOME", "/mine"))).stdout()).isEqualTo("/mine\n");
  }

  @Test
  void itRunsAsTheUserThatIsAskedForOrNotAtAll() throws Exception {
    boolean root = run(sh("id -u")).stdout().equals("0\n");
    ProcessSpec ask =
        as(in(sh("id -un; id -un -r; echo $USER $LOGNAME $HOME; id -G"), "/"), "nobody");
    if (root) {
      String home = shell("getent passwd nobody | cut -d: -f6");
      String groups = shell("id -G nobody");
      assertThat(run(ask).stdout())
          .isEqualTo("nobody\nnobody\nnobody nobody %s\n%s\n".formatted(home, groups));
      assertThat(processes.list().getLast().user()).isEqualTo("nobody");
    } else {
      assertRefused(ask, GuestFailure.DENIED);
    }
    assertRefused(as(sh("true"), "nobody-of-that-name"), GuestFailure.NO_SUCH_USER);
  }

  private String shell(String script) throws InterruptedException {
    return run(sh(script)).stdout().strip();
  }

  @Test
  void whatCannotBeStartedIsRefusedWithWhy() throws Exception {
    assertRefused(Specs.of(List.of("no-such-program"), false), GuestFailure.UNFIT);
    assertRefused(Specs.of(List.of("/etc/passwd"), false), GuestFailure.DENIED);
    assertRefused(in(sh("true"), "/no/such/folder"), GuestFailure.NOT_FOUND);
    assertRefused(in(sh("true"), "/etc/passwd"), GuestFailure.NOT_A_FOLDER);
    assertThat(processes.list()).isEmpty();
    assertThatThrownBy(() -> processes.start(Specs.of(List.of(), false)))
        .hasMessageContaining("no program");
    assertThatThrownBy(() -> processes.start(Specs.of(List.of("a\0b"), false)))
        .hasMessageContaining("NUL");
    assertThatThrownBy(() -> processes.start(tagged(sh("true"), "x".repeat(256))))
        .hasMessageContaining("255");
  }

  @Test
  void theListTellsWhatWasStartedAndHowItEnded() throws Exception {
    Instant before = Instant.now();
    run(with(tagged(in(sh("exit 7"), "/usr"), "sevens"), Map.of("A", "b=c")));
    try (ProcessStream running = processes.start(sh("sleep 1000"))) {
      List<ProcessInfo> list = processes.list();
      assertThat(list).hasSize(2);
      ProcessInfo ended = list.getFirst();
      assertThat(ended.args()).containsExactly("sh", "-c", "exit 7");
      assertThat(ended.env()).isEqualTo(Map.of("A", "b=c"));
      assertThat(ended.cwd()).isEqualTo("/usr");
      assertThat(ended.user()).isEqualTo(System.getProperty("user.name"));
      assertThat(ended.tag()).contains("sevens");
      assertThat(ended.terminal()).isFalse();
      assertThat(ended.startedAt()).isBetween(before, Instant.now());
      assertThat(ended.end()).contains(new ProcessEnd.Exited(7));
      assertThat(list.getLast().pid()).isEqualTo(running.pid());
      assertThat(list.getLast().tag()).isEmpty();
      assertThat(list.getLast().end()).isEmpty();
    }
  }

  @Test
  void whatIsLongIsCutOffInTheListAndNowhereElse() throws Exception {
    String script = "echo ${#LONG}; #" + "x".repeat(20_000);
    Heard heard = run(with(sh(script), Map.of("LONG", "y".repeat(30_000))));
    assertThat(heard.stdout()).isEqualTo("30000\n");
    assertThat(only().args().getLast()).startsWith("echo ${#LONG}; #xxx");
    assertThat(only().args().getLast().length()).isBetween(6_000, 6_200);
    assertThat(only().env()).hasEntrySatisfying("LONG", it -> assertThat(it).startsWith("yyy"));
  }

  @Test
  void aChildLeftBehindDoesNotHoldUpTheEnd() throws Exception {
    Heard heard = run(sh("sleep 1000 & echo parent"));
    assertThat(heard.stdout()).isEqualTo("parent\n");
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Exited(0));
  }

  @Test
  void theLastSixtyFourThatEndedAreRemembered() throws Exception {
    for (int i = 0; i < 70; i++) {
      run(tagged(sh("true"), "number " + i));
    }
    List<ProcessInfo> list = processes.list();
    assertThat(list).hasSize(64);
    assertThat(list.getFirst().tag()).contains("number 6");
    assertThat(list.getLast().tag()).contains("number 69");
  }

  @Test
  void moreThanTheTableHoldsAreRefused() throws Exception {
    for (int i = 0; i < 512; i++) {
      processes.start(Specs.of(List.of("sleep", "1000"), false)).close();
    }
    assertThatThrownBy(() -> processes.start(sh("true")))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL));
    assertThat(processes.list()).hasSize(512);
    processes.signal(newest(), 9);
    Optional<ProcessEnd> end = Optional.empty();
    while (end.isEmpty()) {
      end = processes.list().getLast().end();
    }
    assertThat(run(sh("echo room")).stdout()).isEqualTo("room\n");
  }

  private ProcessInfo only() {
    return processes.list().getFirst();
  }

  private void assertRefused(ProcessSpec spec, GuestFailure why) {
    assertThatThrownBy(() -> processes.start(spec))
        .isInstanceOfSatisfying(GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(why));
  }

  private Heard run(ProcessSpec spec) throws InterruptedException {
    return Heard.all(processes.start(spec));
  }
}
