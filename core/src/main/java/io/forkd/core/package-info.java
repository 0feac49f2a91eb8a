@NullMarked
package io.forkd.core;

import org.jspecify.annotations.NullMarked;
