@NullMarked
package io.forkd.registry;

import org.jspecify.annotations.NullMarked;
