package io.forkd.vmm;

import io.forkd.linux.Fd;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A VM to boot.
 *
 * @param commandLine kernel parameters beyond those the machine type needs
 * @param rootfs the root disk, open for reading
 * @param memory a memfd of the guest's size
 * @param tap the far end of the guest's wire; without one its NIC leads nowhere
 */
public record BootSpec(
    VmSite site,
    GuestShape shape,
    Path kernel,
    Path initrd,
    String commandLine,
    Fd rootfs,
    Fd memory,
    Optional<Fd> tap) {}
