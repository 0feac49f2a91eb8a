/** The host's side of the sandboxes' networks: namespaces, firewall and name service. */
@NullMarked
package io.forkd.core.net;

import org.jspecify.annotations.NullMarked;
