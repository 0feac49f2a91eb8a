package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ExecuteTest {
  @RegisterExtension static final RunningAgent guest = new RunningAgent(HostAgent::start);

  @Test
  void givesTheValueOfTheLastExpressionAndKeepsState() {
    assertThat(run("kept = 20\nkept + 1").value()).contains("21");
    Executed later = run("kept * 2");
    assertThat(later.value()).contains("40");
    assertThat(later.events().getFirst()).isInstanceOf(CodeEvent.Began.class);
    assertThat(run("1").count()).isEqualTo(later.count() + 1);
    assertThat(run("None").results()).isEmpty();
    assertThat(run("hidden = 3; hidden;").results()).isEmpty();
  }

  @Test
  void sharesItsStateWithEval() {
    guest.agent().eval("shared = 'both'", PATIENCE);
    assertThat(run("shared").value()).contains("'both'");
    run("shared = 'changed'");
    EvalResult result = guest.agent().eval("print('kept'); shared", PATIENCE);
    assertThat(result.result()).contains("'changed'");
    assertThat(result.stdout()).isEqualTo("kept\n");
  }

  @Test
  void passesOnOutputBeforeTheCodeEnds() throws InterruptedException {
    String code =
        "import os, time\nprint('first', end='')\nwhile not os.path.exists(%s): time.sleep(0.005)"
            .formatted("'" + guest.host().root().resolve("go") + "'");
    try (Execution execution = guest.agent().interpreter().execute(Executed.code("python", code))) {
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Began.class);
      assertThat(Executed.next(execution)).isEqualTo(new CodeEvent.Stdout("first"));
      guest
          .agent()
          .exec(
              ExecRequest.of(
                  List.of("touch", guest.host().root().resolve("go").toString()), PATIENCE));
      assertThat(Executed.drain(execution).events()).isEmpty();
      assertThat(execution.next(PATIENCE)).isEmpty();
    }
  }

  @Test
  void keepsTheOrderOfOutputResultsAndTheEnd() {
    Executed executed =
        run(
            """
            import os, sys, subprocess
            print('one')
            subprocess.run(['echo', 'two'])
            os.system('echo three')
            display('shown')
            print('four')
            print('wrong', file=sys.stderr)
            os.write(1, b'five\\n')
            'value'
            """);
    assertThat(executed.stdout()).isEqualTo("one\ntwo\nthree\nfour\nfive\n");
    assertThat(executed.stderr()).isEqualTo("wrong\n");
    assertThat(executed.results()).extracting(CodeEvent.Result::main).containsExactly(false, true);
    String before =
        new Executed(
                executed.events().subList(0, executed.events().indexOf(executed.results().get(0))))
            .stdout();
    assertThat(before).isEqualTo("one\ntwo\nthree\n");
    assertThat(executed.events().getLast()).isEqualTo(executed.results().getLast());
  }

  @Test
  void carriesEightMegabytesOfOutputIntact() {
    Executed executed = run("for i in range(131072): print('%063d' % i)");
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 131072; i++) {
      all.append("%063d\n".formatted(i));
    }
    assertThat(executed.stdout().equals(all.toString())).isTrue();
  }

  @Test
  void keepsCharactersWholeAndReplacesWhatIsNoText() {
    Executed executed =
        run(
            """
            import os
            for b in 'né€😀'.encode(): os.write(1, bytes([b]))
            os.write(1, b'\\xff')
            '\\ud800'\
            """);
    assertThat(executed.stdout()).isEqualTo("né€😀\ufffd");
    assertThat(executed.value()).contains("'\\ud800'");
  }

  @Test
  void tellsErrorsWithTheUsersLinesAlone() {
    CodeEvent.Failed failure = run("def bad():\n    raise ValueError('no good')\nbad()").failure();
    assertThat(failure.name()).isEqualTo("ValueError");
    assertThat(failure.value()).isEqualTo("no good");
    assertThat(failure.traceback())
        .startsWith("Traceback")
        .contains("raise ValueError('no good')", "line 2")
        .doesNotContain("python.py", "forkd_");
    assertThat(run("x = = 3").failure().name()).isEqualTo("SyntaxError");
    assertThat(run("import sys; sys.exit(3)").failure().name()).isEqualTo("SystemExit");
    CodeEvent.Failed mute =
        run("class Mute:\n    def __repr__(self): raise TypeError('no')\nMute()").failure();
    assertThat(mute.traceback()).contains("__repr__").doesNotContain("forkd_show");
  }

  @Test
  void awaitsAtTheTop() {
    assertThat(
            run("import asyncio\nawait asyncio.sleep(0.01)\nawait asyncio.sleep(0, 'woken')")
                .value())
        .contains("'woken'");
    assertThat(
            run("task = asyncio.get_event_loop().create_task(asyncio.sleep(0, 4))\nawait task")
                .value())
        .contains("4");
    assertThat(run("asyncio.run(asyncio.sleep(0, 5))").value()).contains("5");
  }

  @Test
  void givesNoInputAndDoesNotWaitForIt() {
    CodeEvent.Failed failure = run("input('name? ')").failure();
    assertThat(failure.name()).isEqualTo("EOFError");
    assertThat(failure.value()).contains("no standard input");
  }

  @Test
  void runsShellLines() {
    Executed executed = run("for word in ('a', 'b'):\n    !echo shell\n!exit 3\n_exit_code");
    assertThat(executed.stdout()).isEqualTo("shell\nshell\n");
    assertThat(executed.value()).contains("3");
  }

  @Test
  void setsTheEnvironmentWhileTheCodeRuns() {
    CodeRequest request =
        new CodeRequest(
            "import os; os.system('echo $GREETING'); os.environ['GREETING']",
            Optional.empty(),
            Optional.of(Language.PYTHON),
            Map.of("GREETING", "hello there"));
    Executed executed = Executed.run(guest.agent(), request);
    assertThat(executed.stdout()).isEqualTo("hello there\n");
    assertThat(executed.value()).contains("'hello there'");
    assertThat(run("'GREETING' in os.environ").value()).contains("False");
    CodeRequest odd =
        new CodeRequest("1", Optional.empty(), Optional.empty(), Map.of("A=B", "c", "", "d"));
    assertThat(Executed.run(guest.agent(), odd).failed()).isTrue();
    assertThat(run("6").value()).contains("6");
  }

  @Test
  void survivesForksAndThreadsOfUserCode() {
    Executed executed =
        run(
            """
            import os, sys, threading
            if os.fork() == 0:
                print('child')
                sys.exit(0)
            os.wait()
            done = threading.Thread(target=lambda: print('thread'))
            done.start(); done.join()
            print('parent')
            """);
    assertThat(executed.stdout()).isEqualTo("child\nthread\nparent\n");
    assertThat(executed.stderr()).isEmpty();
    Executed lateOutput = run("!(sleep 0.1; echo late) &\n7");
    assertThat(lateOutput.failed()).isFalse();
    run("import time; time.sleep(0.3)");
    assertThat(run("sys.stdout.close()").failed()).isFalse();
    assertThat(run("8").value()).contains("8");
  }

  @Test
  void interruptsCodeAndKeepsItsState() throws InterruptedException {
    run("survivor = 11");
    for (String endless :
        List.of(
            "print('on'); \nwhile True: pass",
            "print('on'); import time; time.sleep(1000)",
            "print('on'); import asyncio; await asyncio.sleep(1000)",
            "while True: display('on')",
            "while True: print('on')")) {
      try (Execution execution =
          guest.agent().interpreter().execute(Executed.code("python", endless))) {
        assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Began.class);
        assertThat(Executed.next(execution)).isNotNull();
        execution.interrupt();
        assertThat(Executed.drain(execution).failure().name()).isEqualTo("KeyboardInterrupt");
      }
    }
    assertThat(run("survivor").value()).contains("11");
  }

  @Test
  void interruptsByTheContextsIdAndNothingWhenNothingRuns() throws InterruptedException {
    guest.agent().interpreter().interrupt("python");
    try (Execution execution =
        guest
            .agent()
            .interpreter()
            .execute(Executed.code("python", "print('on')\nwhile True: pass"))) {
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Began.class);
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Stdout.class);
      guest.agent().interpreter().interrupt("python");
      assertThat(Executed.drain(execution).failure().name()).isEqualTo("KeyboardInterrupt");
    }
  }

  @Test
  void failsAnExecutionThatIsInterruptedBeforeItBegan() throws InterruptedException {
    try (Execution first =
            guest
                .agent()
                .interpreter()
                .execute(Executed.code("python", "print(1)\nwhile True: pass"));
        Execution second = guest.agent().interpreter().execute(Executed.code("python", "2"))) {
      assertThat(Executed.next(first)).isInstanceOf(CodeEvent.Began.class);
      second.interrupt();
      assertThat(Executed.drain(second).failure().name()).isEqualTo("Interrupted");
    }
    assertThat(run("3").value()).contains("3");
  }

  @Test
  void refusesAContextNobodyMade() {
    assertThatThrownBy(() -> Executed.run(guest.agent(), "python-none", "1"))
        .isInstanceOfSatisfying(
            GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(GuestFailure.NOT_FOUND));
  }

  @Test
  void carriesCodeOfMegabytes() {
    assertThat(run("len('" + "x".repeat(3_000_000) + "')").value()).contains("3000000");
    assertThat(run("'y' * 3_000_000").value().orElseThrow()).hasSize(3_000_002);
    assertThatThrownBy(() -> run("#" + "x".repeat(17_000_000)))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST));
  }

  private static Executed run(String code) {
    return Executed.run(guest.agent(), "python", code);
  }
}
