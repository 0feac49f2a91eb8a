/**
 * What E2B's SDKs speak, on the daemon's own port: their control plane, the data plane of each
 * sandbox (envd) and the code interpreter. Knows forkd only by what the core and the agent offer.
 */
@NullMarked
package io.forkd.server.e2b;

import org.jspecify.annotations.NullMarked;
