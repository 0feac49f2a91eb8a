package io.forkd.server;

import io.forkd.core.ForkResult;
import io.forkd.server.http.Json;
import java.util.List;

/** The children that failed beside those that live, as a JSON array that fits a header. */
final class FailureHeader {
  static final String NAME = "Forkd-Failures";

  private static final int LONGEST = 4096;
  private static final int LONGEST_ERROR = 200;

  private FailureHeader() {}

  /** As many failures, lowest index first, as the bound has room for. */
  static String value(List<ForkResult.Failure> failures) {
    StringBuilder out = new StringBuilder("[");
    for (ForkResult.Failure failure : failures) {
      String entry =
          Json.ascii(
              Json.object().with("index", failure.index()).with("error", shorten(failure.error())));
      if (out.length() + entry.length() + 2 > LONGEST) {
        break;
      }
      out.append(out.length() > 1 ? "," : "").append(entry);
    }
    return out.append(']').toString();
  }

  private static String shorten(String error) {
    String clean = error.replace('\u007f', '?');
    return clean.length() > LONGEST_ERROR ? clean.substring(0, LONGEST_ERROR) + "…" : clean;
  }
}
