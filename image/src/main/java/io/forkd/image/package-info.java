@NullMarked
package io.forkd.image;

import org.jspecify.annotations.NullMarked;
