/** Measures forkd and its peers on this machine. */
@NullMarked
package io.forkd.bench;

import org.jspecify.annotations.NullMarked;
