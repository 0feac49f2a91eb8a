package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class EvalTest {
  @RegisterExtension static final RunningAgent guest = new RunningAgent(HostAgent::start);

  @BeforeAll
  static void start() {
    guest.agent().startRuntime("python", PATIENCE);
  }

  @Test
  void givesTheReprOfAnExpression() {
    EvalResult result = eval("'a' + 'b'");
    assertThat(result.result()).contains("'ab'");
    assertThat(result.error()).isEmpty();
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void givesNoResultForNoneAndForStatements() {
    assertThat(eval("None").result()).isEmpty();
    assertThat(eval("unused = 1").result()).isEmpty();
    assertThat(eval("").result()).isEmpty();
  }

  @Test
  void runsStatementsAndKeepsWhatTheyDefine() {
    assertThat(eval("def twice(n):\n    return 2 * n\nkept = twice(4)\nkept + 1").result())
        .contains("9");
    assertThat(eval("twice(kept)").result()).contains("16");
  }

  @Test
  void capturesOutputOfPythonAndOfItsChildren() {
    EvalResult result =
        eval(
            "import os, sys\nprint('one')\nos.system('echo two')\nprint('three', file=sys.stderr)");
    assertThat(result.stdout()).isEqualTo("one\ntwo\n");
    assertThat(result.stderr()).isEqualTo("three\n");
    assertThat(eval("1").stdout()).isEmpty();
  }

  @Test
  void showsTheUsersLinesInATraceback() {
    EvalResult result = eval("def bad():\n    raise ValueError('first\\nsecond')\nbad()");
    assertThat(result.exitCode()).isOne();
    assertThat(result.error()).contains("ValueError: first second");
    assertThat(result.traceback().orElseThrow())
        .contains("raise ValueError('first\\nsecond')", "bad()", "line 2")
        .doesNotContain("python.py");
  }

  @Test
  void reportsSyntaxErrorsOfTheCodeItself() {
    EvalResult result = eval("x = = 3");
    assertThat(result.error().orElseThrow()).startsWith("SyntaxError: ");
    assertThat(result.traceback().orElseThrow()).contains("x = = 3").doesNotContain("python.py");
  }

  @Test
  void survivesExitAndKeepsItsState() {
    eval("before = 5");
    assertThat(eval("import sys; sys.exit(3)").error()).contains("SystemExit: 3");
    assertThat(eval("before").result()).contains("5");
  }

  @Test
  void reportsAReprThatRaises() {
    EvalResult result =
        eval("class Mute:\n    def __repr__(self):\n        raise TypeError('no')\nMute()");
    assertThat(result.error()).contains("TypeError: no");
    assertThat(result.result()).isEmpty();
  }

  @Test
  void reportsAnExceptionWhoseTextRaises() {
    EvalResult result =
        eval("class Odd(Exception):\n    def __str__(self):\n        return 1/0\nraise Odd()");
    assertThat(result.error()).contains("Odd: <its text raised ZeroDivisionError>");
  }

  @Test
  void carriesCodeAndResultsOfMegabytes() {
    String text = "x".repeat(3_000_000);
    assertThat(eval("len('" + text + "')").result()).contains("3000000");
    assertThat(eval("'y' * 3_000_000").result().orElseThrow()).hasSize(3_000_002);
    assertThat(eval("print('é' * 1_000_000)").stdout()).hasSize(1_000_001);
  }

  @Test
  void boundsOutputAndSaysSo() {
    EvalResult result = eval("import os\nfor _ in range(200): os.write(1, b'z' * 65536)");
    assertThat(result.stdout()).startsWith("zzz").hasSizeLessThan((8 << 20) + 100);
    EvalResult printed = eval("for _ in range(200): print('z' * 65536)");
    assertThat(printed.stdout()).endsWith("[forkd: the rest was dropped]");
    assertThat(printed.error()).isEmpty();
    assertThat(eval("print('small')").stdout()).isEqualTo("small\n");
  }

  @Test
  void keepsAnswersOfControlCharactersWithinTheLimit() {
    EvalResult result = eval("print('\\x01' * 7_000_000)\n'\\x02' * 7_000_000");
    assertThat(result.error()).isEmpty();
    assertThat(result.stdout()).startsWith("\u0001");
  }

  @Test
  void carriesTextThatIsNotUnicode() {
    assertThat(eval("print('\\udc80'); '\\ud800'").result()).isPresent();
    assertThat(eval("import os; os.write(1, b'\\xff\\xfe'); None").stdout())
        .isEqualTo("\ufffd\ufffd");
  }

  @Test
  void survivesClosedStandardStreamsAndForkedChildren() {
    assertThat(eval("import sys; sys.stdout.close()").error()).isEmpty();
    assertThat(eval("import sys; sys.stdout = open('/dev/null', 'w'); 7").result()).contains("7");
    assertThat(eval("import os\nif os.fork() == 0: 1/0\n8").result()).contains("8");
    assertThat(eval("9").result()).contains("9");
  }

  @Test
  void interruptsEndlessCodeAndKeepsTheState() {
    eval("survivor = 11");
    assertThatThrownBy(() -> guest.agent().eval("while True: pass", Duration.ofMillis(300)))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
        .hasMessageContaining("kept its state");
    assertThat(eval("survivor").result()).contains("11");
  }

  @Test
  void answersManyCallersOneAfterTheOther() throws Exception {
    eval("counter = 0");
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<EvalResult>> results = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        results.add(threads.submit(() -> eval("counter += 1\ncounter")));
      }
      List<Integer> seen = new ArrayList<>();
      for (Future<EvalResult> result : results) {
        seen.add(Integer.parseInt(result.get().result().orElseThrow()));
      }
      assertThat(seen).doesNotHaveDuplicates().contains(1, 40);
    }
  }

  @Test
  void refusesARuntimeNobodyKnows() {
    assertThatThrownBy(() -> guest.agent().startRuntime("cobol", PATIENCE))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("knows no such runtime");
  }

  private static EvalResult eval(String code) {
    return guest.agent().eval(code, PATIENCE);
  }
}
