package io.forkd.server.e2b;

import io.forkd.server.http.HttpHandler;

/**
 * A call of E2B's control plane.
 *
 * @param method empty means every one
 * @param template a path whose named segments are in braces
 * @param keyed whether a repeated Idempotency-Key gets the first answer again
 */
public record ControlRoute(String method, String template, boolean keyed, HttpHandler handler) {}
