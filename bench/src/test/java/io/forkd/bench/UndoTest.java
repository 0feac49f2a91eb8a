package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UndoTest {
  private final List<String> done = new ArrayList<>();
  private final List<String> complaints = new ArrayList<>();

  @Test
  void theNewestStepIsTakenBackFirstAndAFailureStopsNothing() {
    try (Undo undo = new Undo(complaints::add)) {
      undo.remember("a", () -> done.add("a"));
      undo.remember(
          "b",
          () -> {
            throw new IOException("no");
          });
      undo.remember("c", () -> done.add("c"));
    }
    assertThat(done).containsExactly("c", "a");
    assertThat(complaints).containsExactly("b failed: no");
  }

  @Test
  void aStepIsTakenBackOnceOrNeverWhenItIsOver() {
    try (Undo undo = new Undo(complaints::add)) {
      Undo.Mark early = undo.remember("early", () -> done.add("early"));
      Undo.Mark over = undo.remember("over", () -> done.add("over"));
      early.close();
      early.close();
      assertThat(over.forget()).isTrue();
      over.close();
    }
    assertThat(done).containsExactly("early");
  }

  @Test
  void nothingNewBeginsOnceEverythingIsTakenBack() {
    Undo undo = new Undo(complaints::add);
    undo.close();
    assertThatThrownBy(() -> undo.remember("late", () -> done.add("late")))
        .isInstanceOf(Undo.EndingException.class);
    assertThat(done).isEmpty();
  }

  @Test
  void aFolderGoesWithTheBenchmarkAndIsNotMadeOnceItEnds() {
    Undo undo = new Undo(complaints::add);
    WorkFolder folder = WorkFolder.make(undo);
    assertThat(folder.path()).isEmptyDirectory();
    undo.close();
    assertThat(folder.path()).doesNotExist();
    assertThatThrownBy(() -> WorkFolder.make(undo)).isInstanceOf(Undo.EndingException.class);
    assertThat(complaints).isEmpty();
  }
}
