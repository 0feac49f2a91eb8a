package io.forkd.store;

import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The manifests read before. They are asked for every few seconds and hardly ever change, so a file
 * that is the same as before is not read again.
 */
final class KnownManifests {
  /** The time of its last change is among these because nobody can set it. */
  private static final String IDENTITY = "unix:dev,ino,size,ctime";

  private record Known(Map<String, Object> file, Manifest manifest) {}

  private final Map<Tag, Known> byTag = new ConcurrentHashMap<>();

  /** The manifest in a snapshot's folder; one that cannot be read is refused. */
  Manifest read(Tag tag, Path dir) {
    Map<String, Object> file;
    try {
      file = Files.readAttributes(dir.resolve(ManifestFile.NAME), IDENTITY);
    } catch (IOException e) {
      return ManifestFile.read(dir); // which says what is wrong
    }
    Known known = byTag.get(tag);
    if (known != null && known.file().equals(file)) {
      return known.manifest();
    }
    // Looked at before it is read: what changes meanwhile looks different the next time.
    Manifest manifest = ManifestFile.read(dir);
    byTag.put(tag, new Known(file, manifest));
    return manifest;
  }

  /** Forgets all but these. */
  void keepOnly(Collection<Tag> tags) {
    byTag.keySet().retainAll(tags);
  }
}
