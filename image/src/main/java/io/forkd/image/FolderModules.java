package io.forkd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** Modules in a folder of the host. */
record FolderModules(Path folder) implements ModulePlace {
  @Override
  public String where() {
    return folder.toString();
  }

  @Override
  public boolean copyTo(Path empty) throws IOException {
    Path kernel = folder.resolve("kernel");
    Path builtin = folder.resolve(ModuleFolder.BUILTIN);
    boolean hasModules = Files.isDirectory(kernel, LinkOption.NOFOLLOW_LINKS);
    // A kernel without loadable modules has only the list of what is built in.
    boolean hasList = Files.isRegularFile(builtin) && Files.isReadable(builtin);
    if (hasModules) {
      Command.of(Tool.CP, "-r", "--reflink=auto", kernel, empty).run();
    }
    if (hasList) {
      Files.copy(builtin, empty.resolve(ModuleFolder.BUILTIN));
    }
    return hasModules || hasList;
  }
}
