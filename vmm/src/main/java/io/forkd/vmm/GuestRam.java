package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Maps;
import io.forkd.linux.MemoryArea;

/** Where a guest's memory lies in its VMM process. */
public final class GuestRam {
  /** How the names of all memfds begin that guests map as memory. */
  public static final String NAME = "forkd-ram-";

  private GuestRam() {}

  public static MemoryArea in(long pid, long bytes) {
    return Maps.of(pid)
        .flatMap(maps -> maps.span(NAME, bytes))
        .orElseThrow(
            () ->
                new ForkdException(
                    ErrorCode.GUEST_FAILED,
                    "the VMM process %d has no guest memory of %d bytes".formatted(pid, bytes)));
  }
}
