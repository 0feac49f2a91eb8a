package io.forkd.server;

import java.time.Instant;
import java.util.Map;
import java.util.Optional;

/** Where answers are kept that may be asked for again. Any thread may use it. */
interface AnswerBook {
  /**
   * An answer.
   *
   * @param request what was asked, as a hash: another request must not get this answer
   * @param headers beyond those every answer has
   */
  record Kept(
      String request, int status, String contentType, Map<String, String> headers, byte[] body) {
    public Kept {
      headers = Map.copyOf(headers);
    }
  }

  /** The answer under a key, unless its time is over. */
  Optional<Kept> find(String key, Instant now);

  void keep(String key, Kept answer, Instant expires);
}
