package io.forkd.core;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** The layers in memory by their content, so that a family's templates share what they have. */
final class LayerPool {
  private final Map<String, Layer> byHash = new HashMap<>();

  /** So that nobody loads what another is just loading. */
  private final Object[] locks = Stream.generate(Object::new).limit(16).toArray();

  /** One use of the layer with this content, loaded when nobody has it yet. */
  Layer acquire(String contentHash, Supplier<Layer> loader) {
    synchronized (locks[Math.floorMod(contentHash.hashCode(), locks.length)]) {
      synchronized (this) {
        Layer known = byHash.get(contentHash);
        if (known != null && known.tryShare()) {
          return known;
        }
      }
      Layer loaded = loader.get();
      name(contentHash, loaded);
      return loaded;
    }
  }

  /** Makes a layer known whose content hash has just become known. */
  synchronized void name(String contentHash, Layer layer) {
    byHash.values().removeIf(Layer::isGone);
    byHash.put(contentHash, layer);
  }
}
