package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Files;

/** Opens the core on this host. */
public final class LocalForkd {
  private LocalForkd() {}

  public static Forkd open(CoreConfig config) {
    if (!Files.isDirectory(config.recipes())) {
      throw ForkdException.badRequest("%s is not a folder of recipes.", config.recipes());
    }
    throw new ForkdException(ErrorCode.INTERNAL, "the core is being written");
  }
}
