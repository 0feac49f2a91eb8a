@NullMarked
package io.forkd.bench;

import org.jspecify.annotations.NullMarked;
