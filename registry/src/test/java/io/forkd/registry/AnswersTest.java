package io.forkd.registry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.registry.Answers.Answer;
import io.forkd.registry.Answers.AnswerKey;
import io.forkd.registry.Answers.Begun;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Answers to requests that came with an idempotency key. */
class AnswersTest {
  private static final AnswerKey KEY = new AnswerKey("alice", "order-1");
  private static final Answer ANSWER = new Answer(201, "{\"x\":\"y\"}", "made".getBytes(UTF_8));
  private static final Instant NOW = Instant.ofEpochSecond(1_800_000_000);
  private static final Instant LATER = NOW.plusSeconds(100);

  @TempDir Path data;
  private Registry registry;

  @BeforeEach
  void open() {
    registry = Registry.open(data);
  }

  @AfterEach
  void close() {
    registry.close();
  }

  private void reopen() {
    registry.close();
    registry = Registry.open(data);
  }

  private Begun begin(String request) {
    return registry.answers().begin(KEY, request, NOW, LATER);
  }

  @Test
  void theSameRequestGetsTheAnswerItHadAlsoAfterAReopen() {
    assertThat(begin("a")).isEqualTo(new Begun.Fresh());
    registry.answers().finish(KEY, ANSWER);
    assertThat(begin("a")).isEqualTo(new Begun.Replay(ANSWER));
    reopen();
    assertThat(begin("a")).isEqualTo(new Begun.Replay(ANSWER));
  }

  @Test
  void anotherRequestWithTheKeyConflictsWhetherAnsweredOrNot() {
    begin("a");
    assertThat(begin("b")).isEqualTo(new Begun.Conflict());
    registry.answers().finish(KEY, ANSWER);
    assertThat(begin("b")).isEqualTo(new Begun.Conflict());
  }

  @Test
  void theSameRequestIsUnderWayUntilItIsAnswered() {
    begin("a");
    assertThat(begin("a")).isEqualTo(new Begun.UnderWay());
  }

  @Test
  void anotherPrincipalMayUseTheSameName() {
    begin("a");
    assertThat(registry.answers().begin(new AnswerKey("bob", "order-1"), "b", NOW, LATER))
        .isEqualTo(new Begun.Fresh());
  }

  @Test
  void aForgottenKeyIsFresh() {
    begin("a");
    registry.answers().forget(KEY);
    assertThat(begin("b")).isEqualTo(new Begun.Fresh());
  }

  @Test
  void anExpiredKeyIsFresh() {
    begin("a");
    registry.answers().finish(KEY, ANSWER);
    assertThat(registry.answers().begin(KEY, "b", LATER, LATER.plusSeconds(1)))
        .isEqualTo(new Begun.Fresh());
  }

  @Test
  void whatIsUnderWayWhenTheDaemonGoesIsForgotten() {
    begin("a");
    reopen();
    assertThat(begin("b")).isEqualTo(new Begun.Fresh());
  }

  @Test
  void sweepingRemovesWhatHasExpiredOnly() {
    begin("a");
    registry.answers().finish(KEY, ANSWER);
    registry.answers().begin(new AnswerKey("bob", "x"), "b", NOW, LATER.plusSeconds(50));
    assertThat(registry.answers().sweep(LATER)).isEqualTo(1);
    assertThat(registry.answers().sweep(LATER)).isZero();
  }

  @Test
  void anAnswerThatComesAfterItsKeyWasForgottenIsNotKept() {
    begin("a");
    registry.answers().forget(KEY);
    registry.answers().finish(KEY, ANSWER);
    assertThat(begin("a")).isEqualTo(new Begun.Fresh());
  }
}
