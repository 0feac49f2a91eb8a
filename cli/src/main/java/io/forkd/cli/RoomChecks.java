package io.forkd.cli;

import io.forkd.linux.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether there is room: disk, memory, descriptors, processes. */
final class RoomChecks {
  private static final long GIB = 1L << 30;

  private final Context context;

  private RoomChecks(Context context) {
    this.context = context;
  }

  static List<Check> of(Context context) {
    RoomChecks checks = new RoomChecks(context);
    return List.of(
        new Check("disk", checks::disk),
        new Check("reflink", checks::reflink),
        new Check("memory", RoomChecks::memory),
        new Check("open files", RoomChecks::openFiles),
        new Check("processes", RoomChecks::processes));
  }

  private Finding disk() {
    Path folder = Host.existing(context.locations().data());
    long free;
    try {
      free = Files.getFileStore(folder).getUsableSpace();
    } catch (IOException e) {
      return Finding.fail(
          "cannot ask about " + folder + ": " + e, "unknown", "set FORKD_DATA to another folder");
    }
    String found = Units.bytes(free) + " free in " + folder;
    String fix = "free some space, or set FORKD_DATA to a larger disk";
    if (free < GIB) {
      return Finding.fail(found, "an image and a snapshot need 1 to 2 GiB", fix);
    }
    return free < 4 * GIB
        ? Finding.warn(found, "room for one or two snapshots", fix)
        : Finding.ok(found, "room for several snapshots");
  }

  private Finding reflink() {
    Probe probe = HostProbes.reflink(context.locations().data());
    return probe.works()
        ? Finding.ok(probe.reason(), "copies of images are free")
        : Finding.warn(
            probe.reason(),
            "images are copied sparsely, which takes time and space",
            "keep the data folder on XFS or btrfs");
  }

  private static Finding memory() {
    Matcher available =
        Pattern.compile("MemAvailable:\\s+([0-9]+)").matcher(Host.read("/proc/meminfo").orElse(""));
    if (!available.find()) {
      return Finding.warn("/proc/meminfo says nothing", "unknown", "mount /proc");
    }
    long bytes = Long.parseLong(available.group(1)) * 1024;
    String found = Units.bytes(bytes) + " available";
    long children = Math.max(0, (bytes - GIB) / (30 << 20));
    if (bytes < GIB) {
      return Finding.fail(found, "a parent and its first children need 1 GiB", "free some memory");
    }
    return Finding.ok(found, "room for about %d children of 30 MiB".formatted(children));
  }

  private static Finding openFiles() {
    Matcher limit =
        Pattern.compile("Max open files\\s+\\S+\\s+(\\S+)")
            .matcher(Host.read("/proc/self/limits").orElse(""));
    String hard = limit.find() ? limit.group(1) : "unknown";
    boolean enough = !hard.matches("[0-9]{1,4}");
    return enough
        ? Finding.ok(hard + " open files per process", "enough for a thousand children")
        : Finding.warn(
            hard + " open files per process",
            "some hundred children at most",
            "ulimit -Hn 65536, or LimitNOFILE= in the unit");
  }

  private static Finding processes() {
    int most =
        Integer.parseInt(
            Host.read("/proc/sys/kernel/pid_max")
                .filter(t -> t.matches("[0-9]{1,9}"))
                .orElse("32768"));
    return most >= 16_384
        ? Finding.ok("pid_max is " + most, "enough for a thousand children")
        : Finding.warn(
            "pid_max is " + most,
            "each child takes several threads",
            "sysctl -w kernel.pid_max=65536");
  }
}
