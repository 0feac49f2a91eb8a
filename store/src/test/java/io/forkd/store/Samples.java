package io.forkd.store;

import io.forkd.base.Tag;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Small snapshots for tests. */
final class Samples {
  static final Tag TAG = Tag.of("python-numpy");
  static final int PAGE = 4096;
  static final long MEMORY_BYTES = 64L << 20;
  static final Manifest.Vmm VMM =
      new Manifest.Vmm("qemu", "7.2.22", "x86_64", "microvm/tcg", "max");

  private Samples() {}

  /** Guest memory with data in a few pages far apart. */
  static Memfd memory() {
    Memfd memory = Memfd.create("forkd-test", MEMORY_BYTES);
    for (long page : new long[] {0, 1, 100, 16383}) {
      put(memory, page, (byte) (page + 1));
    }
    return memory;
  }

  static void put(Memfd memory, long page, byte value) {
    byte[] bytes = new byte[PAGE];
    bytes[17] = value;
    FileIo.pwrite(memory.fd(), ByteBuffer.wrap(bytes), page * PAGE);
  }

  static Path file(Path path, int bytes) throws IOException {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) 7);
    return Files.write(path, content);
  }

  /** Writes all parts and says what they are; {@code temp} holds what they are made from. */
  static Manifest parts(SnapshotWriter writer, Tag tag, Path temp) throws IOException {
    try (Memfd memory = memory()) {
      return new Manifest(
          Manifest.FORMAT,
          tag,
          1_700_000_000,
          "recipe python-numpy",
          VMM,
          new Manifest.Guest(64, 1, "6.1.0"),
          writer.memory(memory.fd()),
          writer.deviceState(file(temp.resolve("device-" + tag), 5000)),
          writer.rootfs(file(temp.resolve("rootfs-" + tag), 10_000), "cafe"),
          1,
          List.of("python"),
          Optional.of("None"),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty());
    }
  }

  static StoredSnapshot commit(Store store, Tag tag, Path temp) throws IOException {
    try (SnapshotWriter writer = store.begin(tag)) {
      return writer.commit(parts(writer, tag, temp));
    }
  }
}
