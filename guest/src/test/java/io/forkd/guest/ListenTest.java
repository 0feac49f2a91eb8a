package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static io.forkd.guest.Specs.sh;
import static io.forkd.guest.Specs.tagged;
import static io.forkd.guest.Specs.withInput;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Listeners to processes: who comes late, who reads slowly, who goes and comes back. */
@Timeout(120)
class ListenTest {
  private static final int RING = 64 * 1024;
  private static final String ENDLESS = "while :; do echo 0123456789012345678901234567890; done";

  private HostAgent host;
  private Agent agent;
  private ProcessTable processes;
  private boolean reconnected;

  @BeforeEach
  void start() {
    host = HostAgent.start(2);
    connect();
  }

  private void connect() {
    agent = host.connect();
    processes = agent.processes();
  }

  private void reconnect() {
    agent.close();
    reconnected = true;
    connect();
  }

  /** The agent ends by itself when it has served both its connections. */
  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    if (!reconnected) {
      host.connect().close();
    }
    host.assertCleanExit();
    host.close();
  }

  @Test
  void whoLetsGoCanComeBackAndHearWhatWasWrittenMeanwhile() throws Exception {
    ProcessStream first = processes.start(tagged(withInput("read x; echo $x; read y"), "job"));
    first.close();
    write(first, "meanwhile\n");
    try (ProcessStream replayed = processes.attach(new ProcessRef.Tagged("job"), true)) {
      assertThat(replayed.pid()).isEqualTo(first.pid());
      assertThat(Heard.until(replayed, "\n").stdout()).isEqualTo("meanwhile\n");
    }
    ProcessStream plain = processes.attach(ref(first), false);
    write(first, "\n");
    Heard heard = Heard.all(plain);
    assertThat(heard.stdout()).isEmpty();
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Exited(0));
  }

  @Test
  void whoComesAfterTheEndHearsTheLastOutputAndTheEnd() throws Exception {
    ProcessStream first = processes.start(sh("echo out; echo err >&2; kill -9 $$"));
    Heard.all(first);
    for (int i = 0; i < 2; i++) {
      Heard late = Heard.all(processes.attach(ref(first), true));
      assertThat(late.stdout()).isEqualTo("out\n");
      assertThat(late.stderr()).isEqualTo("err\n");
      assertThat(late.end()).isEqualTo(new ProcessEnd.Signalled(9, false));
    }
    Heard brief = Heard.all(processes.attach(ref(first), false));
    assertThat(brief.stdout()).isEmpty();
    assertThat(brief.end()).isEqualTo(new ProcessEnd.Signalled(9, false));
  }

  @Test
  void ofMuchOutputTheLastIsKept() throws Exception {
    ProcessStream first = processes.start(sh("seq 1 100000"));
    byte[] all = Heard.all(first).bytes();
    byte[] kept = Heard.all(processes.attach(ref(first), true)).bytes();
    assertThat(kept).isEqualTo(Arrays.copyOfRange(all, all.length - RING, all.length));
  }

  @Test
  void channelsThatTakeTurnsAreReplayedInTheirOrder() throws Exception {
    String script =
        "for i in 1 2 3 4 5; do printf $i; sleep 0.05; printf -- - >&2; sleep 0.05; done";
    ProcessStream first = processes.start(sh(script));
    Heard.all(first);
    StringBuilder order = new StringBuilder();
    try (ProcessStream late = processes.attach(ref(first), true)) {
      while (late.next(PATIENCE).orElseThrow()
          instanceof ProcessEvent.Output(var _, byte[] bytes)) {
        order.append(new String(bytes, UTF_8));
      }
    }
    assertThat(order).hasToString("1-2-3-4-5-");
  }

  @Test
  void allWhoListenHearAll() throws Exception {
    ProcessStream first = processes.start(withInput("read x; seq 1 300000"));
    List<CompletableFuture<Heard>> listeners = new ArrayList<>();
    listeners.add(inBackground(first));
    for (int i = 0; i < 9; i++) {
      listeners.add(inBackground(processes.attach(ref(first), false)));
    }
    write(first, "\n");
    String expected =
        IntStream.rangeClosed(1, 300_000).mapToObj(i -> i + "\n").collect(Collectors.joining());
    for (CompletableFuture<Heard> listener : listeners) {
      assertThat(listener.get().stdout()).isEqualTo(expected);
    }
  }

  private static CompletableFuture<Heard> inBackground(ProcessStream stream) {
    return TcpServer.inBackground(() -> Heard.all(stream));
  }

  @Test
  void fiftyStreamAtOnceAndEachIsWhole() throws Exception {
    List<CompletableFuture<Heard>> all = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      all.add(inBackground(processes.start(sh("seq %d %d".formatted(i, i + 20_000)))));
    }
    for (int i = 0; i < 50; i++) {
      String expected =
          IntStream.rangeClosed(i, i + 20_000)
              .mapToObj(n -> n + "\n")
              .collect(Collectors.joining());
      assertThat(all.get(i).get().stdout()).isEqualTo(expected);
    }
  }

  @Test
  void eightMegabytesComeIntact() throws Exception {
    byte[] large = CobsTest.randomBytes(new Random(5), 8_000_000);
    Files.write(host.root().resolve("large"), large);
    ProcessStream stream = processes.start(sh("cat %s/large".formatted(host.root())));
    assertThat(Heard.all(stream).bytes()).isEqualTo(large);
  }

  @Test
  void aListenerThatDoesNotReadHoldsUpItsProcessAndNoMemoryGrows() throws Exception {
    String counted = "yes | head -c 300000000; echo done > %s/done".formatted(host.root());
    try (ProcessStream slow = processes.start(sh(counted))) {
      Heard.until(slow, "y");
      long before = host.residentKib();
      // Another process is heard meanwhile, many times what the slow one may have under way.
      Heard other = Heard.all(processes.start(sh("yes | head -c 30000000")));
      assertThat(other.bytes()).hasSize(30_000_000);
      assertThat(host.residentKib() - before).isLessThan(16 * 1024);
      assertThat(host.root().resolve("done")).doesNotExist();
      assertThat(processes.list().getFirst().end()).isEmpty();
    }
    // Nobody listens now, so it is held up no more.
    ProcessRef left = new ProcessRef.Pid(processes.list().getFirst().pid());
    assertThat(Heard.endOf(processes.attach(left, false))).isEqualTo(new ProcessEnd.Exited(0));
    assertThat(host.root().resolve("done")).exists();
  }

  @Test
  void theSlowestListenerSetsThePace() throws Exception {
    ProcessStream fast = processes.start(withInput("read x; yes | head -c 3000000"));
    ProcessStream slow = processes.attach(ref(fast), false);
    CompletableFuture<Heard> all = inBackground(fast);
    write(fast, "\n");
    Heard.until(slow, "y");
    assertThat(all).isNotDone();
    slow.close();
    assertThat(all.get().bytes()).hasSize(3_000_000);
  }

  @Test
  void processesThatNeverStopWritingStarveNobody() throws Exception {
    for (int i = 0; i < 12; i++) {
      ProcessStream endless = processes.start(sh(ENDLESS));
      var _ = TcpServer.inBackground(() -> drop(endless));
    }
    for (int i = 0; i < 5; i++) {
      assertThat(Heard.all(processes.start(sh("echo served"))).stdout()).isEqualTo("served\n");
    }
  }

  private static Optional<ProcessEvent> drop(ProcessStream stream) throws InterruptedException {
    Optional<ProcessEvent> event = stream.next(PATIENCE);
    while (event.isPresent()) {
      event = stream.next(PATIENCE);
    }
    return event;
  }

  @Test
  void anotherConnectionFindsTheProcessesOfTheFirst() throws Exception {
    ProcessStream first =
        processes.start(tagged(withInput("echo before; read x; echo $x"), "kept"));
    Heard.until(first, "before");
    Heard.all(processes.start(sh("exit 4")));
    reconnect();
    List<ProcessInfo> list = processes.list();
    assertThat(list).hasSize(2);
    assertThat(list.getFirst().end()).isEmpty();
    assertThat(list.getLast().end()).contains(new ProcessEnd.Exited(4));
    ProcessStream again = processes.attach(new ProcessRef.Tagged("kept"), true);
    assertThat(again.pid()).isEqualTo(first.pid());
    write(again, "after\n");
    assertThat(Heard.all(again).stdout()).isEqualTo("before\nafter\n");
  }

  @Test
  void aNewGreetingLetsGoOfAListenerThatHeldItsProcessUp() throws Exception {
    ProcessStream stuck = processes.start(sh("yes | head -c 5000000; echo end"));
    reconnect();
    Heard heard = Heard.all(processes.attach(ref(stuck), true));
    assertThat(heard.stdout()).endsWith("y\nend\n");
  }

  @Test
  void whoClosesWhileAnotherWaitsWakesIt() throws Exception {
    ProcessStream silent = processes.start(sh("sleep 1000"));
    CompletableFuture<Optional<ProcessEvent>> listening =
        TcpServer.inBackground(() -> silent.next(Duration.ofDays(1)));
    silent.close();
    assertThat(listening).failsWithin(PATIENCE).withThrowableThat().withMessageContaining("closed");
  }

  @Test
  void hearsNothingForAsLongAsItWasToldToWait() throws Exception {
    try (ProcessStream silent = processes.start(sh("sleep 1000"))) {
      assertThat(silent.next(Duration.ofMillis(20))).isEmpty();
      assertThat(silent.next(Duration.ZERO)).isEmpty();
    }
  }

  private static ProcessRef ref(ProcessStream stream) {
    return new ProcessRef.Pid(stream.pid());
  }

  private void write(ProcessStream stream, String text) throws Exception {
    try (OutputStream input = processes.input(ref(stream))) {
      input.write(text.getBytes(UTF_8));
    }
  }
}
