package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Map;

/**
 * A connection to a daemon that has left HTTP for another protocol.
 *
 * @param headers of the answer, names in lower case
 * @param input what comes after the answer
 */
record Upgrade(Wire wire, Map<String, String> headers, InputStream input) {
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);
  private static final int LARGEST_REASON = 1 << 20;

  /**
   * Connects to the daemon and asks for the protocol on the path.
   *
   * @param headers more lines of the request, each with its line break
   */
  static Upgrade open(Endpoint endpoint, String path, String protocol, String headers) {
    Wire wire;
    try {
      wire = Wire.open(endpoint);
    } catch (IOException e) {
      throw ForkdClientException.unreachable(endpoint, e);
    }
    Thread guard = Thread.ofVirtual().name("upgrade-guard").start(() -> giveUpLater(wire));
    try {
      InputStream in = new BufferedInputStream(wire.input(), 32 << 10);
      OutputStream out = wire.output();
      out.write(request(wire, endpoint, path, protocol, headers).getBytes(ISO_8859_1));
      out.flush();
      ByteSource source = ByteSource.of(in);
      HttpHead head = HttpHead.read(source);
      if (head.status() != 101) {
        byte[] reason = new HttpBody(source, head).readNBytes(LARGEST_REASON);
        Reply reply = new Reply(head.status(), head.headers(), reason);
        throw new ForkdClientException(reply.status(), Requests.errorText(reply));
      }
      return new Upgrade(wire, head.headers(), in);
    } catch (IOException e) {
      wire.close();
      throw ForkdClientException.broken("GET " + path, endpoint, e);
    } catch (ForkdClientException e) {
      wire.close();
      throw e;
    } finally {
      guard.interrupt();
    }
  }

  /** Waits end by a close, since not every socket knows timeouts. */
  private static void giveUpLater(Wire wire) {
    try {
      Thread.sleep(ANSWER_LIMIT);
      wire.close();
    } catch (InterruptedException e) {
      // The daemon has answered.
      return;
    }
  }

  private static String request(
      Wire wire, Endpoint endpoint, String path, String protocol, String headers) {
    return wire.requestHead("GET", path, endpoint.token())
        + headers
        + "Connection: Upgrade\r\nUpgrade: %s\r\n\r\n".formatted(protocol);
  }
}
