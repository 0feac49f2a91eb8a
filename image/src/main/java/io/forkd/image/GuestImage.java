package io.forkd.image;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * All that is needed to boot a guest: files in the cache, which nothing changes.
 *
 * @param initrd holds the agent as /init, the kernel modules and the runtime kernels
 * @param rootfs the read-only disk that is to be the guest's first virtio disk
 * @param rootfsType the filesystem on it, as mount names it
 * @param kernelRelease what {@code uname -r} says in the guest
 * @param description one line for people
 * @param runtime the runtime kernel that the root filesystem can host
 * @param remarks what was assumed or found missing, as sentences for people
 */
public record GuestImage(
    Path kernel,
    Path initrd,
    Path rootfs,
    String rootfsType,
    String kernelRelease,
    String rootfsSha256,
    String description,
    Optional<String> runtime,
    List<String> remarks) {
  public GuestImage {
    remarks = List.copyOf(remarks);
  }

  /** What the agent expects on the kernel command line to find the root filesystem. */
  public String kernelArguments() {
    return "forkd.root=/dev/vda forkd.rootfstype=" + rootfsType;
  }
}
