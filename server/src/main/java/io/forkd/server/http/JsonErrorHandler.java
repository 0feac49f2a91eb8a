package io.forkd.server.http;

import java.nio.ByteBuffer;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.handler.ErrorHandler;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * Gives what Jetty itself refuses (a malformed request, one during a stop) the API's error body.
 */
final class JsonErrorHandler extends ErrorHandler {
  private static final HttpField JSON_TYPE =
      new HttpField(HttpHeader.CONTENT_TYPE, "application/json");

  /** Tells clients that the request was not looked at, so that they may send it to the next. */
  private static final HttpField STOPPING = new HttpField("Forkd-Stopping", "true");

  @Override
  public boolean errorPageForMethod(String method) {
    return true;
  }

  @Override
  protected void generateResponse(
      Request request,
      Response response,
      int code,
      @Nullable String message,
      @Nullable Throwable cause,
      Callback callback) {
    response.getHeaders().put(JSON_TYPE);
    if (code == HttpStatus.SERVICE_UNAVAILABLE_503) {
      response.getHeaders().put(STOPPING);
    }
    response.write(true, ByteBuffer.wrap(body(code, message)), callback);
  }

  private static byte[] body(int status, @Nullable String message) {
    String text =
        switch (status) {
          case 503 -> "The daemon is stopping: try again when it is back.";
          case 431 -> "The request's header is too large: send less.";
          case 500 -> "The daemon failed before it could answer; its log says why.";
          case 400 -> "The request is malformed: %s.".formatted(reason(status, message));
          default -> "%s.".formatted(reason(status, message));
        };
    return Json.bytes(Json.error(text));
  }

  private static String reason(int status, @Nullable String message) {
    return message == null ? HttpStatus.getMessage(status) : message;
  }
}
