@NullMarked
package io.forkd.base;

import org.jspecify.annotations.NullMarked;
