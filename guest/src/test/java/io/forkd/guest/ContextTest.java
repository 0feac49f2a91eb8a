package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

class ContextTest {
  @RegisterExtension final RunningAgent guest = new RunningAgent(HostAgent::start);

  private Interpreter contexts;
  @TempDir private Path folder;

  @BeforeEach
  void start() {
    contexts = guest.agent().interpreter();
  }

  @Test
  void theDefaultContextOfPythonIsThereFromTheStart() {
    assertThat(contexts.contexts())
        .singleElement()
        .satisfies(
            context -> {
              assertThat(context.id()).isEqualTo("python");
              assertThat(context.language()).isEqualTo(Language.PYTHON);
              assertThat(context.cwd()).isNotEmpty();
            });
  }

  @Test
  void contextsHaveStatesAndFoldersOfTheirOwn() throws IOException {
    CodeContext made = contexts.create(Language.PYTHON, Optional.of(folder.toString()));
    assertThat(made.id()).matches("python-[0-9a-f]{4}");
    assertThat(made.cwd()).isEqualTo(folder.toString());
    run("python", "x = 1");
    run(made.id(), "x = 2; open('made', 'w').close()");
    assertThat(run("python", "x").value()).contains("1");
    assertThat(run(made.id(), "x").value()).contains("2");
    assertThat(folder.resolve("made")).exists();
    assertThat(contexts.contexts())
        .extracting(CodeContext::id)
        .containsExactly("python", made.id());
  }

  @Test
  void runsInSeveralContextsAtOnce() throws InterruptedException {
    CodeContext other = contexts.create(Language.PYTHON, Optional.empty());
    try (Execution endless =
        contexts.execute(Executed.code("python", "print('on')\nwhile True: pass"))) {
      assertThat(Executed.next(endless)).isInstanceOf(CodeEvent.Began.class);
      assertThat(run(other.id(), "1 + 1").value()).contains("2");
    }
  }

  @Test
  void aRestartGivesAnEmptyStateAndEndsWhatRuns() throws InterruptedException {
    run("python", "x = 1");
    try (Execution endless =
        contexts.execute(Executed.code("python", "print('on')\nwhile True: pass"))) {
      assertThat(Executed.next(endless)).isInstanceOf(CodeEvent.Began.class);
      assertThat(Executed.next(endless)).isInstanceOf(CodeEvent.Stdout.class);
      contexts.restart("python");
      assertThatThrownBy(() -> Executed.drain(endless))
          .isInstanceOf(ForkdException.class)
          .hasMessageContaining("restarted");
    }
    assertThat(run("python", "'x' in dir()").value()).contains("False");
    assertThat(run("python", "1").count()).isEqualTo(2);
  }

  @Test
  void aDeletedContextIsGoneAndADefaultOneBeginsAfresh() {
    CodeContext made = contexts.create(Language.PYTHON, Optional.empty());
    contexts.delete(made.id());
    assertThat(contexts.contexts()).extracting(CodeContext::id).containsExactly("python");
    assertNotFound(() -> run(made.id(), "1"));
    assertNotFound(() -> contexts.delete(made.id()));
    assertNotFound(() -> contexts.restart(made.id()));
    assertNotFound(() -> contexts.interrupt(made.id()));
    run("python", "x = 1");
    contexts.delete("python");
    assertThat(run("python", "'x' in dir()").value()).contains("False");
  }

  @Test
  void aDeletedContextEndsWhatRunsInIt() throws InterruptedException {
    CodeContext made = contexts.create(Language.PYTHON, Optional.empty());
    try (Execution endless =
            contexts.execute(Executed.code(made.id(), "print('on')\nwhile True: pass"));
        Execution waiting = contexts.execute(Executed.code(made.id(), "1"))) {
      assertThat(Executed.next(endless)).isInstanceOf(CodeEvent.Began.class);
      contexts.delete(made.id());
      assertNotFound(() -> Executed.drain(endless));
      assertNotFound(() -> Executed.drain(waiting));
    }
  }

  @Test
  void aKernelThatDiesIsToldOfOnceAndReplaced() {
    CodeContext made = contexts.create(Language.PYTHON, Optional.empty());
    for (String id : List.of("python", made.id())) {
      assertThatThrownBy(() -> run(id, "print('x')\nimport os; os._exit(3)"))
          .isInstanceOfSatisfying(
              ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED))
          .hasMessageContaining("exit code 3");
      assertThat(run(id, "1 + 1").value()).contains("2");
    }
    assertThat(contexts.contexts()).hasSize(2);
  }

  @Test
  void thereAreNoMoreThanThirtyTwo() throws IOException, InterruptedException {
    // A Python without packages starts faster.
    Path python = folder.resolve("python3");
    Files.writeString(python, "#!/bin/sh\nexec /usr/bin/python3 -S \"$@\"\n");
    assertThat(python.toFile().setExecutable(true)).isTrue();
    try (HostAgent light = HostAgent.withPath(1, folder + ":/usr/bin:/bin")) {
      try (Agent lightAgent = light.connect()) {
        Interpreter many = lightAgent.interpreter();
        List<String> made = new ArrayList<>();
        for (int i = 0; i < 29; i++) {
          made.add(many.create(Language.PYTHON, Optional.empty()).id());
        }
        assertThat(made).doesNotHaveDuplicates();
        assertThatThrownBy(() -> many.create(Language.PYTHON, Optional.empty()))
            .isInstanceOfSatisfying(
                ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL));
        many.delete(made.get(5));
        String again = many.create(Language.PYTHON, Optional.empty()).id();
        assertThat(Executed.run(lightAgent, again, "7").value()).contains("7");
        assertThat(many.contexts()).hasSize(30);
      }
      light.assertCleanExit();
    }
  }

  @Test
  void refusesFoldersThatAreNot() throws IOException {
    Path file = Files.createFile(folder.resolve("file"));
    for (String cwd : List.of("/nowhere/at/all", file.toString())) {
      assertThatThrownBy(() -> contexts.create(Language.PYTHON, Optional.of(cwd)))
          .isInstanceOfSatisfying(
              GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(GuestFailure.NOT_A_FOLDER));
    }
  }

  @Test
  void refusesALanguageThatTheGuestLacks() {
    try (HostAgent bare = HostAgent.withPath(1, "/nowhere");
        Agent bareAgent = bare.connect()) {
      assertThatThrownBy(() -> bareAgent.interpreter().create(Language.JAVA, Optional.empty()))
          .isInstanceOfSatisfying(
              GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(GuestFailure.UNFIT))
          .hasMessageContaining("java is not in this guest");
      assertThatThrownBy(() -> Executed.run(bareAgent, "javascript", "1"))
          .isInstanceOfSatisfying(
              GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(GuestFailure.UNFIT));
      assertThat(bareAgent.interpreter().contexts()).isEmpty();
    }
  }

  @Test
  void theEndOfTheChannelEndsAnExecutionAtOnce() throws InterruptedException {
    try (Execution endless =
        contexts.execute(Executed.code("python", "print('on')\nwhile True: pass"))) {
      assertThat(Executed.next(endless)).isInstanceOf(CodeEvent.Began.class);
      Thread.ofVirtual().start(guest.agent()::close);
      assertThatThrownBy(() -> Executed.drain(endless))
          .isInstanceOfSatisfying(
              ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.GUEST_FAILED));
    }
  }

  @Test
  void aReaderThatTakesNothingHoldsUpItsContextAlone() throws InterruptedException {
    CodeContext other = contexts.create(Language.PYTHON, Optional.empty());
    String flood = "import os\nfor i in range(4096): os.write(1, b'z' * 65536)";
    try (Execution slow = contexts.execute(Executed.code("python", flood))) {
      assertThat(Executed.next(slow)).isInstanceOf(CodeEvent.Began.class);
      long before = guest.host().residentBytes();
      for (int i = 0; i < 50; i++) {
        assertThat(run(other.id(), "1").value()).contains("1");
      }
      assertThat(guest.host().residentBytes() - before).isLessThan(64L << 20);
      assertThat(guest.agent().ping(PATIENCE).pid()).isPositive();
    }
    assertThat(run("python", "2").value()).contains("2");
  }

  private Executed run(String context, String code) {
    return Executed.run(guest.agent(), context, code);
  }

  private static void assertNotFound(ThrowingCallable attempt) {
    assertThatThrownBy(attempt)
        .isInstanceOfSatisfying(
            GuestRefusal.class, e -> assertThat(e.why()).isEqualTo(GuestFailure.NOT_FOUND));
  }
}
