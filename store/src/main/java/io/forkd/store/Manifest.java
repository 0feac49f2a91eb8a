package io.forkd.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.Tag;
import java.util.List;
import java.util.Optional;

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

  public Manifest {
    runtimes = List.copyOf(runtimes);
  }

  /** The monitor and machine a snapshot can be restored on. */
  public record Vmm(String name, String version, String arch, String machine, String cpu) {}

  /** The guest's size and kernel. */
  public record Guest(int memoryMib, int vcpus, String kernelRelease) {}

  /**
   * The memory image.
   *
   * @param sha256 the page digest: over every page that is not zero, with its number
   */
  public record MemoryLayer(String file, long logicalBytes, long physicalBytes, String sha256) {}

  /** A file kept whole. */
  public record StateFile(String file, long bytes, String sha256) {}
}
