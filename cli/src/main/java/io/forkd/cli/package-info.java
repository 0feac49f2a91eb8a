@NullMarked
package io.forkd.cli;

import org.jspecify.annotations.NullMarked;
