package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import io.forkd.core.Forkd;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpProblem;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;

/** What the daemon does for the clients of E2B: who may come in, and the ports of sandboxes. */
public interface E2bHost {
  /** Leave to handle one request. */
  interface Pass extends AutoCloseable {
    @Override
    void close();
  }

  /** The core as the sender of a request with a key may see and use it. */
  Forkd of(Exchange exchange);

  /** The core for those who showed a sandbox's own token. */
  Forkd everything();

  /** The id of the key that came with a request that was let in by one. */
  Optional<String> key(Exchange exchange);

  /** The ids of the keys that hold. */
  Set<String> keys();

  /**
   * Lets in who showed a sandbox's own token, unless its owner has too many requests under way.
   *
   * @param key to whose holder the token was given; what is opened ends with it
   */
  Pass letIn(Exchange exchange, SandboxId sandbox, Optional<String> key);

  /**
   * Lets in who shows a key that may use the sandbox.
   *
   * @return empty when no key came with the request
   */
  Optional<Pass> letInByKey(Exchange exchange, SandboxId sandbox);

  /** Makes a request a stream, which its sender may only have so many of. */
  void lasts(Exchange exchange);

  /** Counts a request that shows no valid token, and says what to answer. */
  HttpProblem stranger(Exchange exchange, String message);

  /** Passes a request on to a port of a sandbox that its sender may use. */
  void proxy(Exchange exchange, SandboxId sandbox, int port) throws IOException;

  /** Writes down what a request was about. */
  void subject(Exchange exchange, Object name);
}
