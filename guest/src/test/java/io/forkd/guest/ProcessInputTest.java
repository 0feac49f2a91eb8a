package io.forkd.guest;

import static io.forkd.guest.Specs.sh;
import static io.forkd.guest.Specs.tagged;
import static io.forkd.guest.Specs.withInput;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What is written to processes and terminals in a guest, and the signals they are sent. */
@Timeout(120)
class ProcessInputTest {
  @RegisterExtension final RunningAgent guest = new RunningAgent(HostAgent::start);

  private ProcessTable processes;

  @BeforeEach
  void start() {
    processes = guest.agent().processes();
  }

  @Test
  void inputIsOpenUntilItIsClosed() throws Exception {
    ProcessStream stream = processes.start(withInput("cat; echo end; exec sleep 1000"));
    write(stream, "one\n");
    write(stream, "two\n");
    assertThat(Heard.until(stream, "two").stdout()).isEqualTo("one\ntwo\n");
    processes.closeInput(ref(stream));
    processes.closeInput(ref(stream));
    assertThat(Heard.until(stream, "end").stdout()).isEqualTo("end\n");
    processes.signal(ref(stream), 9);
  }

  @Test
  void muchInputComesOutAsItWentIn() throws Exception {
    byte[] large = CobsTest.randomBytes(new Random(1), 8_000_000);
    ProcessStream stream = processes.start(Specs.of(List.of("cat"), true));
    CompletableFuture<Void> writing =
        CompletableFuture.runAsync(
            () -> {
              OutputStream input = processes.input(ref(stream));
              try (input) {
                input.write(large);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              processes.closeInput(ref(stream));
            });
    assertThat(Heard.all(stream).bytes()).isEqualTo(large);
    writing.join();
  }

  @Test
  void inputThatNobodyReadsIsRefused() throws Exception {
    ProcessStream closed = processes.start(sh("sleep 1000"));
    assertBroken(() -> write(closed, "x"));
    ProcessStream done = processes.start(withInput("true"));
    Heard.all(done);
    assertBroken(() -> write(done, "x"));
    ProcessStream deaf = processes.start(withInput("exec 0<&-; echo deaf; sleep 1000"));
    Heard.until(deaf, "deaf");
    assertBroken(() -> write(deaf, "x"));
    assertBroken(() -> write(deaf, "x"));
    ProcessStream ending = processes.start(withInput("read x; exit"));
    assertBroken(
        () -> {
          try (OutputStream input = processes.input(ref(ending))) {
            while (true) {
              input.write("\n".repeat(10_000).getBytes(UTF_8));
            }
          }
        });
  }

  @Test
  void anIdleWriterOfAProcessThatEndsHasLostNothing() throws Exception {
    ProcessStream stream = processes.start(withInput("read x; echo $x"));
    try (OutputStream input = processes.input(ref(stream))) {
      input.write("last\n".getBytes(UTF_8));
      assertThat(Heard.all(stream).stdout()).isEqualTo("last\n");
    }
  }

  @Test
  void aWriteToAProcessThatDoesNotReadWaitsAndCanBeGivenUp() throws Exception {
    ProcessStream stream = processes.start(withInput("sleep 1000"));
    OutputStream input = processes.input(ref(stream));
    CompletableFuture<Void> writing =
        TcpServer.inBackground(
            () -> {
              input.write(new byte[2_000_000]);
              return null;
            });
    assertThat(guest.agent().ping(HostAgent.PATIENCE).pid()).isPositive();
    assertThat(writing).isNotDone();
    input.close();
    assertThatThrownBy(writing::join).hasMessageContaining("closed by this side");
  }

  @Test
  void aSignalReachesTheWholeGroup() throws Exception {
    ProcessStream stream = processes.start(sh("sleep 1000 & sleep 1000"));
    processes.signal(ref(stream), 15);
    assertThat(Heard.all(stream).end()).isEqualTo(new ProcessEnd.Signalled(15, false));
    ProcessStream caught =
        processes.start(
            tagged(sh("trap 'echo caught; exit 5' USR1; echo ready; sleep 9 & wait"), "t"));
    Heard.until(caught, "ready");
    processes.signal(new ProcessRef.Tagged("t"), 10);
    Heard heard = Heard.all(caught);
    assertThat(heard.stdout()).isEqualTo("caught\n");
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Exited(5));
  }

  @Test
  void ordersToWhatIsNotThereAreRefused() throws Exception {
    ProcessStream stream = processes.start(sh("true"));
    Heard.all(stream);
    assertRefused(() -> processes.signal(ref(stream), 9), GuestFailure.NOT_FOUND);
    assertRefused(() -> processes.closeInput(ref(stream)), GuestFailure.NOT_FOUND);
    ProcessRef nobody = new ProcessRef.Pid(2_000_000_000);
    assertRefused(() -> processes.signal(nobody, 9), GuestFailure.NOT_FOUND);
    assertRefused(() -> processes.attach(nobody, true), GuestFailure.NOT_FOUND);
    assertRefused(
        () -> processes.attach(new ProcessRef.Tagged("none"), true), GuestFailure.NOT_FOUND);
    assertRefused(() -> processes.input(nobody).close(), GuestFailure.NOT_FOUND);
    ProcessStream plain = processes.start(sh("sleep 1000"));
    assertRefused(() -> processes.resize(ref(plain), new TerminalSize(80, 24)), GuestFailure.UNFIT);
    assertThatThrownBy(() -> processes.signal(ref(plain), 65)).hasMessageContaining("no signal");
    assertThatThrownBy(() -> processes.resize(ref(plain), new TerminalSize(0, 24)))
        .hasMessageContaining("columns");
  }

  @Test
  void aTerminalIsOneAndHasItsSize() throws Exception {
    Heard heard = Heard.all(processes.start(Specs.inTerminal("tty; stty size", 91, 33)));
    assertThat(heard.terminal()).startsWith("/dev/pts/").endsWith("33 91\r\n");
    assertThat(heard.stdout()).isEmpty();
    assertThat(processes.list().getLast().terminal()).isTrue();
  }

  @Test
  void aTerminalIsResizedAndItsProgramIsTold() throws Exception {
    ProcessStream stream =
        processes.start(
            Specs.inTerminal("trap 'stty size; exit' WINCH; echo ready; sleep 9 & wait", 80, 24));
    Heard.until(stream, "ready");
    processes.resize(ref(stream), new TerminalSize(132, 50));
    assertThat(Heard.all(stream).terminal()).contains("50 132");
  }

  @Test
  void whatIsTypedIsEchoedAndControlCEndsWhatRuns() throws Exception {
    ProcessStream stream = processes.start(Specs.inTerminal("echo ready; exec sleep 1000", 80, 24));
    Heard.until(stream, "ready");
    write(stream, "typed");
    assertThat(Heard.until(stream, "typed").terminal()).contains("typed");
    write(stream, "\u0003");
    assertThat(Heard.all(stream).end()).isEqualTo(new ProcessEnd.Signalled(2, false));
  }

  @Test
  void closingTheInputOfATerminalTypesItsEnd() throws Exception {
    ProcessStream stream = processes.start(Specs.inTerminal("cat; echo end", 80, 24));
    write(stream, "line\n");
    Heard.until(stream, "line\r\nline\r\n");
    processes.closeInput(ref(stream));
    Heard heard = Heard.all(stream);
    assertThat(heard.terminal()).contains("end");
    assertThat(heard.end()).isEqualTo(new ProcessEnd.Exited(0));
  }

  @Test
  void allThatAProgramWroteToItsTerminalIsHeardAfterItsEnd() throws Exception {
    Heard heard = Heard.all(processes.start(Specs.inTerminal("seq 1 20000", 80, 24)));
    assertThat(heard.terminal()).hasSize(128_894).endsWith("19999\r\n20000\r\n");
  }

  private static ProcessRef ref(ProcessStream stream) {
    return new ProcessRef.Pid(stream.pid());
  }

  private void write(ProcessStream stream, String text) throws Exception {
    try (OutputStream input = processes.input(ref(stream))) {
      input.write(text.getBytes(UTF_8));
    }
  }

  private static void assertBroken(ThrowingCallable call) {
    assertRefused(call, GuestFailure.BROKEN);
  }

  private static void assertRefused(ThrowingCallable call, GuestFailure why) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(why));
  }
}
