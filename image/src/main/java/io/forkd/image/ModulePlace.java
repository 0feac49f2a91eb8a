package io.forkd.image;

import java.io.IOException;
import java.nio.file.Path;

/** A place where the modules of one kernel release may be. */
sealed interface ModulePlace permits FolderModules, Ext4Modules {
  /** The place's name for people. */
  String where();

  /** Copies the modules into an empty folder; false, leaving it empty, when they are not here. */
  boolean copyTo(Path empty) throws IOException;
}
