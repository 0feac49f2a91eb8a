package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.Memfd;
import io.forkd.store.Manifest;
import io.forkd.store.SnapshotWriter;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import java.time.Instant;
import java.util.Optional;

/** Makes one snapshot without a parent out of a chain. */
final class Compactor {
  private final Store store;
  private final Templates templates;
  private final Identities identities;

  Compactor(Store store, Templates templates, Identities identities) {
    this.store = store;
    this.templates = templates;
    this.identities = identities;
  }

  StoredSnapshot compact(Tag from, Tag to) {
    if (from.equals(to)) {
      throw ForkdException.badRequest(
          "%s cannot be compacted into itself: name another tag for the flat snapshot.", from);
    }
    try (SnapshotWriter writer = store.begin(to);
        Templates.Lease lease = templates.lease(from);
        Memfd deviceState = DeviceStates.inMemory(lease.template().deviceState())) {
      Template template = lease.template();
      Manifest about = template.about();
      return writer.commit(
          about.heir(
              to,
              Instant.now().getEpochSecond(),
              flat(writer, template.memory()),
              writer.deviceState(deviceState.fd()),
              writer.rootfs(template.rootfsFile(), about.rootfs().sha256()),
              Optional.empty(),
              Optional.empty(),
              Optional.empty(),
              identities.newBirth(),
              about.owner()));
    }
  }

  static Manifest.MemoryLayer flat(SnapshotWriter writer, LayerStack memory) {
    return writer.flat(
        memory.base().fd(),
        memory.deltas().stream()
            .map(layer -> new SnapshotWriter.Layer(layer.fd(), layer.ranges()))
            .toList());
  }
}
