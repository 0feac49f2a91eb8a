package io.forkd.image;

import java.nio.file.Path;
import java.util.Optional;

/**
 * A kernel in the cache.
 *
 * @param release what {@code uname -r} will say in the guest
 * @param modules its modules folder; empty means all that guests need is taken to be built in
 * @param identity what distinguishes it from every other kernel
 */
record Kernel(Path image, String release, Optional<Path> modules, String identity) {}
