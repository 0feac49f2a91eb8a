package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OtherLanguagesTest {
  @RegisterExtension
  static final RunningAgent guest = new RunningAgent(() -> HostAgent.isolated(1));

  @Test
  void javaScriptKeepsItsDeclarations() {
    assertThat(run("javascript", "const a = 1; let b = {c: [2]}; class D {}; a + 1").value())
        .contains("2");
    assertThat(run("javascript", "const a = 5; a + b.c[0]").value()).contains("7");
    assertThat(run("javascript", "new D()").value()).contains("D {}");
    assertThat(run("javascript", "undefined").results()).isEmpty();
    assertThat(guest.agent().interpreter().contexts())
        .extracting(CodeContext::id)
        .contains("python", "javascript");
  }

  @Test
  void javaScriptAwaitsAndImports() {
    assertThat(run("javascript", "await new Promise(r => setTimeout(() => r('late'), 10))").value())
        .contains("'late'");
    assertThat(
            run("javascript", "import fs, { existsSync as e } from 'fs'\n[fs.existsSync === e]")
                .value())
        .contains("[ true ]");
    assertThat(run("javascript", "typeof (await import('path')).join").value())
        .contains("'function'");
    assertThat(run("javascript", "require('os').EOL.length").value()).contains("1");
  }

  @Test
  void javaScriptTellsWhatItWritesAndHowItFails() {
    Executed written =
        run(
            "javascript",
            "console.log('one', 2); console.error('three'); process.stdout.write('é')");
    assertThat(written.stdout()).isEqualTo("one 2\né");
    assertThat(written.stderr()).isEqualTo("three\n");
    CodeEvent.Failed failure =
        run("javascript", "function bad() { throw new TypeError('no') }\nbad()").failure();
    assertThat(failure.name()).isEqualTo("TypeError");
    assertThat(failure.value()).isEqualTo("no");
    assertThat(failure.traceback()).contains("at bad").doesNotContain("javascript.js");
    assertThat(run("javascript", "x = = 3").failure().name()).isEqualTo("SyntaxError");
    assertThat(run("javascript", "throw 3").failure().value()).isEqualTo("3");
    assertThat(run("javascript", "display({_repr_html_: () => '<b>'})").formats())
        .containsEntry("html", "<b>");
  }

  @Test
  void javaScriptCarriesEightMegabytesIntact() {
    Executed executed =
        run(
            "javascript",
            "for (let i = 0; i < 131072; i++) console.log(String(i).padStart(63, '0'))");
    StringBuilder all = new StringBuilder();
    for (int i = 0; i < 131072; i++) {
      all.append("%063d\n".formatted(i));
    }
    assertThat(executed.stdout().equals(all.toString())).isTrue();
  }

  @Test
  void javaScriptThatExitsIsToldOf() {
    assertThatThrownBy(() -> run("javascript", "process.exit(4)"))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("exit code 4");
    assertThat(run("javascript", "1").value()).contains("1");
  }

  @Test
  void javaKeepsItsDeclarations() {
    assertThat(run("java", "int a = 20;\nint twice(int n) { return 2 * n; }\ntwice(a) + 1").value())
        .contains("41");
    assertThat(run("java", "record P(int x) {}\nnew P(a)").value()).contains("P[x=20]");
    assertThat(run("java", "List.of(3, 1).stream().sorted().toList()").value()).contains("[1, 3]");
    assertThat(run("java", "int b = 1;").results()).isEmpty();
  }

  @Test
  void javaTellsWhatItWritesAndHowItFails() {
    Executed written =
        run(
            "java",
            "System.out.println(\"one\");\nSystem.err.println(\"two\");\nSystem.out.print('é');");
    assertThat(written.stdout()).isEqualTo("one\né");
    assertThat(written.stderr()).isEqualTo("two\n");
    CodeEvent.Failed failure =
        run("java", "void bad() { throw new IllegalStateException(\"no\"); }\nbad();").failure();
    assertThat(failure.name()).isEqualTo("java.lang.IllegalStateException");
    assertThat(failure.value()).isEqualTo("no");
    assertThat(failure.traceback()).contains("bad").doesNotContain("JavaKernel");
    CodeEvent.Failed wrong = run("java", "int z = \"text\";").failure();
    assertThat(wrong.name()).isEqualTo("CompilationError");
    assertThat(wrong.traceback()).contains("int z = \"text\";");
  }

  @ParameterizedTest
  @CsvSource({"javascript,while (true) {}", "java,while (true) {}"})
  void endlessCodeIsInterruptedAndTheStateKept(String language, String endless)
      throws InterruptedException {
    run(language, "var kept = 3;");
    String print = language.equals("java") ? "System.out.println(1);\n" : "console.log(1);\n";
    try (Execution execution =
        guest.agent().interpreter().execute(Executed.code(language, print + endless))) {
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Began.class);
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Stdout.class);
      execution.interrupt();
      assertThat(Executed.drain(execution).failure().name()).isEqualTo("Interrupted");
    }
    assertThat(run(language, "kept").value()).contains("3");
    assertThat(run(language, print).stdout()).as("it can still write").isEqualTo("1\n");
  }

  @ParameterizedTest
  @CsvSource({"javascript,process.env.GREETING", "java,System.getenv(\"GREETING\")"})
  void theEnvironmentIsSetWhileCodeRuns(String language, String code) {
    CodeRequest request =
        new CodeRequest(code, Optional.empty(), Language.of(language), Map.of("GREETING", "hi"));
    assertThat(Executed.run(guest.agent(), request).value().orElseThrow()).contains("hi");
    assertThat(run(language, code).value().orElse("")).doesNotContain("hi");
  }

  @ParameterizedTest
  @CsvSource({
    "javascript,console.log(1); while (true) {},Math.random()",
    "java,System.out.println(1); while (true) {},Math.random()"
  })
  void aForkReseedsWhileCodeRuns(String language, String endless, String draw)
      throws InterruptedException {
    CodeContext context =
        guest.agent().interpreter().create(Language.of(language).orElseThrow(), Optional.empty());
    try (Execution execution =
        guest.agent().interpreter().execute(Executed.code(context.id(), endless))) {
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Began.class);
      assertThat(Executed.next(execution)).isInstanceOf(CodeEvent.Stdout.class);
      ForkProof proof =
          guest.agent().identify(IdentifyTest.identity("sb-" + language, 1), PATIENCE);
      assertThat(proof.hooks()).contains(context.id() + ":Math.random");
      execution.interrupt();
      Executed.drain(execution);
    }
    assertThat(run(context.id(), draw).value()).isPresent();
    guest.agent().interpreter().delete(context.id());
  }

  private static Executed run(String language, String code) {
    return Executed.run(guest.agent(), language, code);
  }
}
