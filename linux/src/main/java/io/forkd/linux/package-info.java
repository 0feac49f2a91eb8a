@NullMarked
package io.forkd.linux;

import org.jspecify.annotations.NullMarked;
