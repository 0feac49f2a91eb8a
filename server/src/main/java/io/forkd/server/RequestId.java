package io.forkd.server;

import io.forkd.server.http.Exchange;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** The name by which a request is found again in answers, logs and the audit log. */
record RequestId(String value) {
  static final String HEADER = "X-Request-Id";

  /** What logs call it. */
  static final String LOG_KEY = "request_id";

  private static final Pattern SANE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,63}");

  /** The sender's own, when it is fit for a log, else a new one. */
  static RequestId of(Exchange exchange) {
    return exchange
        .header(HEADER)
        .filter(sent -> SANE.matcher(sent).matches())
        .map(RequestId::new)
        .orElseGet(RequestId::next);
  }

  private static RequestId next() {
    long random = ThreadLocalRandom.current().nextLong();
    return new RequestId("rq-" + HexFormat.of().toHexDigits(random, 12));
  }

  @Override
  public String toString() {
    return value;
  }
}
