package io.forkd.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
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
    Optional<String> warning) {
  public static final int FORMAT = 1;

  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

  public Manifest {
    runtimes = List.copyOf(runtimes);
  }

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
   * The memory image.
   *
   * @param sha256 the page digest: over every page that is not zero, with its number
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
