package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.server.http.JsonParse;
import java.util.Map;

/** Reads the JSON object that is a request's body. */
final class BodyReader {
  private BodyReader() {}

  /** For routes whose fields are all optional: no body is an empty object. */
  static Fields readOrNone(byte[] body) {
    return body.length == 0 ? new Fields(Map.of()) : read(body);
  }

  static Fields read(byte[] body) {
    if (body.length == 0) {
      throw ForkdException.badRequest("The request has no body: send a JSON object.");
    }
    Object value = JsonParse.value(body);
    if (!(value instanceof Map<?, ?> map)) {
      throw ForkdException.badRequest("The body is %s: send a JSON object.", Fields.kind(value));
    }
    return new Fields(map);
  }
}
