package io.forkd.server;

import java.io.IOException;

/** What a guest sent is not an answer in HTTP/1.1. */
final class BadAnswerException extends IOException {
  BadAnswerException(String why) {
    super(why);
  }
}
