package io.forkd.server.http;

import java.util.Map;

/** A refusal that only makes sense in HTTP, such as a wrong method. */
public final class HttpProblem extends RuntimeException {
  private final int status;
  private final transient Map<String, String> headers;

  public HttpProblem(int status, String message, Map<String, String> headers) {
    super(message);
    this.status = status;
    this.headers = Map.copyOf(headers);
  }

  public HttpProblem(int status, String message) {
    this(status, message, Map.of());
  }

  public int status() {
    return status;
  }

  public Map<String, String> headers() {
    return headers;
  }
}
