package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.registry.Answers;
import io.forkd.registry.Registry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests that are sent again to the next daemon. */
@Timeout(120)
class IdempotencyRestartTest {
  private static final String BODY = "{\"snapshot_tag\":\"base\",\"n\":2,\"prewarm\":true}";

  @TempDir Path folder;

  @Test
  void anAnswerOutlivesAKilledDaemon() throws Exception {
    String first;
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      first = fork(daemon).text();
      daemon.kill();
    }
    try (DaemonProcess daemon = new DaemonProcess(folder)) {
      daemon.awaitReady();
      Answer again = fork(daemon);
      assertThat(again.status()).isEqualTo(201);
      assertThat(again.header("idempotency-replayed")).isEqualTo("true");
      assertThat(again.header("forkd-warning")).contains("prewarm");
      assertThat(again.text()).isEqualTo(first);
    }
  }

  @Test
  void aRequestWhoseDaemonDiedIsDoneAgain() {
    Answers.AnswerKey key = new Answers.AnswerKey("admin", "k1");
    Instant now = Instant.now();
    try (Registry registry = Registry.open(folder)) {
      AnswerBook.in(registry.answers()).begin(key, "r", now, now.plus(Idempotency.REMEMBERED));
    }
    try (Registry registry = Registry.open(folder)) {
      AnswerBook book = AnswerBook.in(registry.answers());
      assertThat(book.begin(key, "r", now, now.plus(Idempotency.REMEMBERED)))
          .isInstanceOf(Answers.Begun.Fresh.class);
      book.forget(key);
      assertThat(book.begin(key, "other", now, now.plus(Idempotency.REMEMBERED)))
          .isInstanceOf(Answers.Begun.Fresh.class);
    }
  }

  private static Answer fork(DaemonProcess daemon) throws IOException {
    try (Wire wire = Wire.unix(daemon.socket())) {
      wire.request("POST", "/v1/sandboxes", BODY, "Idempotency-Key: k1");
      return wire.answer();
    }
  }
}
