@NullMarked
package io.forkd.guest;

import org.jspecify.annotations.NullMarked;
