package io.forkd.store;

import com.fasterxml.jackson.annotation.JsonIgnore;
import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.SandboxId;
import io.forkd.base.Sha256;
import io.forkd.base.Tag;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * What a snapshot is and what it takes to restore it.
 *
 * @param format version of this layout; a newer one than {@link #FORMAT} is refused
 * @param source the recipe or files it was made from, for people
 * @param agentProtocol version of the protocol its agent speaks
 * @param runtimes the runtime kernels warmed in it
 * @param rehearsal code a pooled child runs once before it is parked; must have no effect that
 *     shows
 * @param parent what its memory is a delta to; empty when its memory is whole
 * @param branch how it was taken from a running sandbox, when it was
 * @param expiresAtUnix when it may be collected
 * @param id no other snapshot's; absent in format 1
 * @param owner whose it is; empty means everybody's
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Manifest(
    int format,
    Tag tag,
    long createdAtUnix,
    String source,
    Vmm vmm,
    Guest guest,
    MemoryLayer memory,
    StateFile deviceState,
    StateFile rootfs,
    int agentProtocol,
    List<String> runtimes,
    Optional<String> rehearsal,
    Optional<String> warning,
    Optional<Parent> parent,
    Optional<Branch> branch,
    Optional<Long> expiresAtUnix,
    Optional<String> id,
    Optional<String> owner) {
  /** Format 1 knew no parents, branches and times to live; it is still read. */
  public static final int FORMAT = 2;

  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

  public Manifest {
    runtimes = List.copyOf(runtimes);
  }

  /** Whether its memory holds only what differs from its parent's. */
  @JsonIgnore
  public boolean isDelta() {
    return parent.isPresent();
  }

  /** The manifest of a snapshot made of this one: the same guest, with memory of its own. */
  public Manifest heir(
      Tag heirTag,
      long bornAtUnix,
      MemoryLayer heirMemory,
      StateFile heirDeviceState,
      StateFile heirRootfs,
      Optional<Parent> heirParent,
      Optional<Branch> heirBranch,
      Optional<Long> heirExpiresAtUnix,
      String heirId,
      Optional<String> heirOwner) {
    return new Manifest(
        FORMAT,
        heirTag,
        bornAtUnix,
        source,
        vmm,
        guest,
        heirMemory,
        heirDeviceState,
        heirRootfs,
        agentProtocol,
        runtimes,
        rehearsal,
        warning,
        heirParent,
        heirBranch,
        heirExpiresAtUnix,
        Optional.of(heirId),
        heirOwner);
  }

  /** Tells it apart from any other snapshot that had or will have the same tag. */
  public String birth() {
    return id.orElseGet(this::contentHash);
  }

  /** What its memory is, all the way down: the same for the same pages over the same parent. */
  public String contentHash() {
    return parent
        .map(pinned -> Sha256.hex(pinned.contentHash() + ":" + memory.sha256()))
        .orElseGet(memory::sha256);
  }

  /** The snapshot a delta was made on, as it was then. */
  public record Parent(Tag tag, String contentHash) {}

  /**
   * How a snapshot was taken from a running sandbox.
   *
   * @param mode full, diff or live
   * @param pauseMs how long the sandbox stood still
   * @param captureMs all of the copying
   * @param deltaBytes the pages the sandbox had changed, in bytes
   * @param automatic whether its tag was made up by forkd
   */
  public record Branch(
      SandboxId sandbox,
      String mode,
      double pauseMs,
      double captureMs,
      long deltaBytes,
      boolean automatic) {}

  /**
   * The monitor and machine a snapshot can be restored on.
   *
   * @param tscKhz the frequency of the time-stamp counter the guest was told; 0 when it was not
   */
  public record Vmm(
      String name, String version, String arch, String machine, String cpu, long tscKhz) {
    public Vmm(String name, String version, String arch, String machine, String cpu) {
      this(name, version, arch, machine, cpu, 0);
    }

    /**
     * Whether a guest of the other can go on here; clocks may differ by what a measurement errs.
     */
    boolean fits(Vmm other) {
      return name.equals(other.name)
          && version.equals(other.version)
          && arch.equals(other.arch)
          && machine.equals(other.machine)
          && cpu.equals(other.cpu)
          && Math.abs(tscKhz - other.tscKhz) <= tscKhz / 1000;
    }
  }

  /** The guest's size and kernel. */
  public record Guest(int memoryMib, int vcpus, String kernelRelease) {}

  /**
   * The memory image, or what a delta changes of its parent's.
   *
   * @param logicalBytes the guest's memory
   * @param physicalBytes what it takes on disk; for a delta, the length of its file
   * @param sha256 the digest of its pages with their numbers: those that are not zero, or every one
   *     of a delta
   */
  public record MemoryLayer(String file, long logicalBytes, long physicalBytes, String sha256) {
    public MemoryLayer {
      requirePlainName(file);
    }
  }

  /** A file kept whole. */
  public record StateFile(String file, long bytes, String sha256) {
    public StateFile {
      requirePlainName(file);
    }
  }

  /** A snapshot is its folder: no file of it lies elsewhere. */
  private static void requirePlainName(String file) {
    if (!PLAIN_NAME.matcher(file).matches()) {
      throw ForkdException.conflict("'%s' is not the name of a file", Printable.shorten(file));
    }
  }
}
