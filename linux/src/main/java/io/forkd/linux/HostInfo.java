package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.OptionalInt;

/** Facts about this host that need no trying. */
public final class HostInfo {
  private static final MethodHandle LIBC_VERSION =
      Native.bindPlain("gnu_get_libc_version", FunctionDescriptor.of(ADDRESS));
  private static final int LONGEST_VERSION = 64;

  private HostInfo() {}

  /** The kernel's release, such as 6.12.4-cloud-amd64. */
  public static String kernelRelease() {
    return Probes.setting("/proc/sys/kernel/osrelease").orElse("unknown");
  }

  /** The same from boot to shutdown: start times of processes count from it. */
  public static String bootId() {
    return Probes.setting("/proc/sys/kernel/random/boot_id").orElse("unknown");
  }

  /** The C library's version, such as 2.36. */
  public static String glibcVersion() {
    try {
      MemorySegment version = (MemorySegment) LIBC_VERSION.invokeExact();
      // SAFETY: glibc returns a constant, NUL-terminated string much shorter than this.
      return version.reinterpret(LONGEST_VERSION).getString(0);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("a C call threw a checked exception, which none can", e);
    }
  }

  public static boolean isRoot() {
    return Probes.isRoot();
  }

  /**
   * The instruction cache line the C library reports. QEMU's translation buffer misbehaves with the
   * 4096 some aarch64 virtual machines show.
   */
  public static OptionalInt instructionCacheLine() {
    int bytes = (int) ProcessCalls.trySysconf(ProcessCalls.SC_LEVEL1_ICACHE_LINESIZE);
    return bytes > 0 ? OptionalInt.of(bytes) : OptionalInt.empty();
  }
}
