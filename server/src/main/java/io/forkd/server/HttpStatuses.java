package io.forkd.server;

/** What the statuses of the API's answers mean, in a few words. */
final class HttpStatuses {
  private HttpStatuses() {}

  static String meaning(int status) {
    return switch (status) {
      case 101 -> "The connection is now a tunnel";
      case 200 -> "Done";
      case 201 -> "Made";
      case 202 -> "Begun";
      case 204 -> "Done; there is nothing to say";
      case 400 -> "The request is malformed or names something impossible";
      case 401 -> "No valid token came with the request";
      case 403 -> "The caller may not do this";
      case 404 -> "There is no such thing, or it is somebody else's";
      case 408 -> "The request's body did not arrive";
      case 409 -> "The state of the target forbids it";
      case 413 -> "The request's body is too large";
      case 426 -> "This is a WebSocket, and the request does not ask for one";
      case 429 -> "Too many requests: Retry-After says when to try again";
      case 500 -> "The daemon or its host failed";
      case 502 -> "The guest failed";
      case 503 -> "A budget is used up: Retry-After says when to try again";
      case 504 -> "The guest did not answer in time";
      case 507 -> "The guest's disk is full";
      default -> "Status " + status;
    };
  }
}
