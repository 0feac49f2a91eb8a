@NullMarked
package io.forkd.store;

import org.jspecify.annotations.NullMarked;
