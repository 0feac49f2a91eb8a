@NullMarked
package io.forkd.vmm;

import org.jspecify.annotations.NullMarked;
