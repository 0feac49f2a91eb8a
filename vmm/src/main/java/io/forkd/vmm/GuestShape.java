package io.forkd.vmm;

/** The size of a guest; a child must have its parent's. */
public record GuestShape(int memoryMib, int vcpus) {
  public long memoryBytes() {
    return (long) memoryMib << 20;
  }
}
