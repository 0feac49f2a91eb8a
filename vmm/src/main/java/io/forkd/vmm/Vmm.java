package io.forkd.vmm;

/**
 * A driver for one kind of virtual machine monitor. It starts, restores and finds VMs; everything
 * about copy-on-write, chains, pools, identity and limits is written once, above it.
 */
public interface Vmm {
  VmmInfo info();

  /**
   * Starts a VM from a kernel. Its memory is the given memfd, shared, so that it can become a
   * snapshot.
   */
  VirtualMachine boot(BootSpec spec);

  /**
   * Starts a VM whose memory is a private mapping of an image. It is stopped and has no device
   * state yet: memory must be final before {@link VirtualMachine#loadDeviceState}.
   */
  VirtualMachine restore(RestoreSpec spec);

  /** Takes hold of a VM that another daemon started. */
  VirtualMachine adopt(VmSite site, long pid, long startTime);
}
