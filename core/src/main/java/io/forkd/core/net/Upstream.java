package io.forkd.core.net;

import io.forkd.core.net.DnsMessage.Rcode;
import java.io.IOException;

/** Whoever knows the names of the world. */
@FunctionalInterface
interface Upstream {
  /**
   * Asks for records.
   *
   * @return an answer to this very question: OK or NO_SUCH_NAME
   * @throws IOException when nobody gave one in time
   */
  DnsMessage ask(DnsMessage.Question question) throws IOException;

  /** Whether a message answers a question, so that no other server need be asked. */
  static boolean settles(DnsMessage message) {
    return message.rcode() == Rcode.OK || message.rcode() == Rcode.NO_SUCH_NAME;
  }
}
