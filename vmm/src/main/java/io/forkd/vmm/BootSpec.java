package io.forkd.vmm;

import io.forkd.linux.Fd;
import java.nio.file.Path;

/**
 * A VM to boot.
 *
 * @param commandLine kernel parameters beyond those the machine type needs
 * @param rootfs the root disk, open for reading
 * @param memory a memfd of the guest's size
 */
public record BootSpec(
    VmSite site,
    GuestShape shape,
    Path kernel,
    Path initrd,
    String commandLine,
    Fd rootfs,
    Fd memory) {}
