package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.server.http.HttpProblem;

/** Why a request failed, in a word that programs can count by. */
record Mishap(String code) {
  static final Mishap CLIENT_GONE = new Mishap("client_gone");

  static Mishap of(Throwable e) {
    return switch (e) {
      case ForkdException known -> new Mishap(Shapes.word(known.code()));
      case HttpProblem problem -> new Mishap("http_" + problem.status());
      default -> new Mishap(Shapes.word(ErrorCode.INTERNAL));
    };
  }
}
