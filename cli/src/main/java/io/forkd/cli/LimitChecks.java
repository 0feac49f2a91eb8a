package io.forkd.cli;

import io.forkd.linux.Cgroups;
import io.forkd.linux.Cgroups.Controller;
import io.forkd.linux.Disks;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/** Which limits of sandboxes this host can keep. */
final class LimitChecks {
  private LimitChecks() {}

  static List<Check> of(Context context) {
    return List.of(
        new Check("cgroup", () -> cgroup(Cgroups.detect(), Cgroups.available())),
        new Check(
            "bandwidth", () -> bandwidth(Disks.behind(Host.existing(context.locations().data())))));
  }

  static Finding cgroup(Cgroups.Version version, Set<Controller> available) {
    if (version == Cgroups.Version.NONE) {
      return Finding.warn(
          "none is mounted", "all limits are refused", "mount cgroup2 on /sys/fs/cgroup");
    }
    String found = version.name().toLowerCase(Locale.ROOT) + " with " + names(available);
    Set<Controller> missing =
        Arrays.stream(Controller.values())
            .filter(each -> each.limits() && !available.contains(each))
            .collect(Collectors.toSet());
    return missing.isEmpty()
        ? Finding.ok(found, "limits of memory, processors, threads and bandwidth are kept")
        : Finding.warn(
            found,
            "limits by %s are refused".formatted(names(missing)),
            "use a kernel that has them; memory may need cgroup_enable=memory at boot");
  }

  private static String names(Set<Controller> controllers) {
    return controllers.stream()
        .filter(Controller::limits)
        .sorted()
        .map(each -> each.name().toLowerCase(Locale.ROOT))
        .collect(Collectors.joining(", "));
  }

  static Finding bandwidth(Disks disks) {
    return disks.devices().isEmpty()
        ? Finding.warn(
            "the data folder is on %s, which is on no disk of its own"
                .formatted(disks.fileSystem()),
            "limits of bandwidth are refused",
            "set FORKD_DATA to a folder on a disk, if they are wanted")
        : Finding.ok(
            "the data folder is on %s, device %s"
                .formatted(
                    disks.fileSystem(),
                    disks.devices().stream()
                        .map(Object::toString)
                        .collect(Collectors.joining(" and "))),
            "limits of bandwidth hold for it");
  }
}
