package io.forkd.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Where one group is: one folder with v2, one per hierarchy with v1.
 *
 * @param all each folder once; never empty
 * @param byController the folder in which a controller's files are
 */
record CgroupDirs(List<Path> all, Map<Cgroups.Controller, Path> byController) {
  CgroupDirs {
    all = List.copyOf(all);
    byController = Map.copyOf(byController);
  }

  static CgroupDirs of(Map<Cgroups.Controller, Path> byController) {
    return new CgroupDirs(List.copyOf(new TreeSet<>(byController.values())), byController);
  }

  CgroupDirs child(String name) {
    Map<Cgroups.Controller, Path> children = new EnumMap<>(Cgroups.Controller.class);
    byController.forEach((controller, folder) -> children.put(controller, folder.resolve(name)));
    return new CgroupDirs(all.stream().map(folder -> folder.resolve(name)).toList(), children);
  }

  /** A controller's file, when the group has that controller and the kernel that file. */
  Optional<Path> file(Cgroups.Controller controller, String name) {
    return Optional.ofNullable(byController.get(controller))
        .map(folder -> folder.resolve(name))
        .filter(Files::exists);
  }
}
