package io.forkd.server.e2b;

import io.forkd.base.Sha256;
import io.forkd.server.http.Exchange;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * A signature in the query of a URL, which lets its holder read or write one file.
 *
 * @param signed what it is about, without the token that was mixed in
 */
record Signature(String text, String signed, Optional<String> expiration) {
  static Optional<Signature> of(Exchange exchange) {
    return exchange
        .query("signature")
        .filter(_ -> exchange.rawPath().equals("/files"))
        .map(
            text ->
                new Signature(
                    text,
                    "%s:%s:%s:"
                        .formatted(
                            exchange.query("path").orElse(""),
                            exchange.method().equals("POST") ? "write" : "read",
                            exchange.query("username").orElse("")),
                    exchange.query("signature_expiration")));
  }

  boolean isBy(String token) {
    String all = signed + token + expiration.map(time -> ":" + time).orElse("");
    byte[] digest = Sha256.begin().digest(all.getBytes(StandardCharsets.UTF_8));
    return Tokens.same("v1_" + Base64.getEncoder().withoutPadding().encodeToString(digest), text);
  }

  boolean expired(Instant now) {
    return expiration
        .map(time -> !time.matches("[0-9]{1,12}") || Long.parseLong(time) < now.getEpochSecond())
        .orElse(false);
  }
}
