package io.forkd.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A kernel in the cache.
 *
 * @param release what {@code uname -r} will say in the guest
 * @param modules its modules folder; empty means all that guests need is taken to be built in
 * @param identity what distinguishes it from every other kernel
 * @param remarks what was assumed or found missing on the way to it, as sentences for people
 */
record Kernel(
    Path image, String release, Optional<Path> modules, String identity, List<String> remarks) {
  Kernel {
    remarks = List.copyOf(remarks);
  }

  Kernel remarking(String remark) {
    return new Kernel(image, release, modules, identity, List.of(remark));
  }
}
