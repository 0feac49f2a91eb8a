package io.forkd.vmm;

import io.forkd.linux.Fd;
import java.util.Optional;

/**
 * A VM to restore.
 *
 * @param rootfs the root disk, open for reading
 * @param memory the memory image: a sealed memfd, or a file open for reading where the VMM can map
 *     one
 * @param deviceState the device state, open for reading
 * @param overlay what lies over the memory image
 * @param tap the far end of the guest's wire; without one its NIC leads nowhere
 * @param trackWrites whether the VMM shall be made to hold a userfaultfd for us
 */
public record RestoreSpec(
    VmSite site,
    GuestShape shape,
    Fd rootfs,
    Fd memory,
    Fd deviceState,
    Overlay overlay,
    Optional<Fd> tap,
    boolean trackWrites) {}
