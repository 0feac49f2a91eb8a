package io.forkd.server;

import io.forkd.registry.Answers;
import java.time.Instant;

/** Where answers are kept that may be asked for again. Any thread may use it. */
interface AnswerBook {
  /** Claims a key for a request, unless it was claimed before. */
  Answers.Begun begin(Answers.AnswerKey key, String request, Instant now, Instant expires);

  /** Keeps the answer to a request that was begun. */
  void finish(Answers.AnswerKey key, Answers.Answer answer);

  /** Frees a key whose request may be tried again. */
  void forget(Answers.AnswerKey key);

  /** Answers that outlive the daemon. */
  static AnswerBook in(Answers answers) {
    return new AnswerBook() {
      @Override
      public Answers.Begun begin(
          Answers.AnswerKey key, String request, Instant now, Instant expires) {
        return answers.begin(key, request, now, expires);
      }

      @Override
      public void finish(Answers.AnswerKey key, Answers.Answer answer) {
        answers.finish(key, answer);
      }

      @Override
      public void forget(Answers.AnswerKey key) {
        answers.forget(key);
      }
    };
  }
}
