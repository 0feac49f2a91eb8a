@NullMarked
package io.forkd.server;

import org.jspecify.annotations.NullMarked;
