package io.forkd.cli;

import io.forkd.base.SandboxId;
import java.nio.file.Path;

/** One end of a copy. */
sealed interface CopyPlace {
  /** A path in a sandbox. */
  record Guest(String id, String path) implements CopyPlace {
    /** What a copy of it is called; empty for the root. */
    String name() {
      String plain = path.replaceFirst("/+$", "");
      return plain.substring(plain.lastIndexOf('/') + 1);
    }

    Guest resolve(String name) {
      return new Guest(id, path.replaceFirst("/+$", "") + "/" + name);
    }
  }

  /** A path on this host. */
  record Host(Path path) implements CopyPlace {}

  /** Standard input or output. */
  record Stream() implements CopyPlace {}

  static CopyPlace parse(String word) {
    if (word.equals("-")) {
      return new Stream();
    }
    int colon = word.indexOf(':');
    if (colon > 0 && SandboxId.isValid(word.substring(0, colon))) {
      String path = word.substring(colon + 1);
      if (path.isEmpty()) {
        throw CliException.usage("'%s' has no path: write ID:/path.".formatted(word));
      }
      return new Guest(word.substring(0, colon), path);
    }
    return new Host(Path.of(word));
  }
}
