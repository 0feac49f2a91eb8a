@NullMarked
package io.forkd.client;

import org.jspecify.annotations.NullMarked;
