package io.forkd.store;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.Memfd;
import io.forkd.linux.PageRange;
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

  static final Manifest.Branch BRANCH =
      new Manifest.Branch(SandboxId.of("sb-0123456789-0001"), "live", 3.5, 120.25, 40_960, true);

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
      return parts(writer, tag, temp, writer.memory(memory.fd()), Optional.empty());
    }
  }

  static Manifest.StateFile deviceState(SnapshotWriter writer, Path written) {
    try (Fd file = StoredSnapshot.open(written)) {
      return writer.deviceState(file);
    }
  }

  private static Manifest parts(
      SnapshotWriter writer,
      Tag tag,
      Path temp,
      Manifest.MemoryLayer memory,
      Optional<Manifest.Parent> parent)
      throws IOException {
    return new Manifest(
        Manifest.FORMAT,
        tag,
        1_700_000_000,
        "recipe python-numpy",
        VMM,
        new Manifest.Guest(64, 1, "6.1.0"),
        memory,
        deviceState(writer, file(temp.resolve("device-" + tag), 5000)),
        writer.rootfs(file(temp.resolve("rootfs-" + tag), 10_000), "cafe"),
        1,
        List.of("python"),
        Optional.of("None"),
        Optional.empty(),
        parent,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** The parts of a delta of one page that says its tag. */
  static Manifest deltaParts(SnapshotWriter writer, Tag tag, Manifest parent, Path temp)
      throws IOException {
    try (Memfd layer = Memfd.create("forkd-test", MEMORY_BYTES)) {
      FileIo.pwrite(layer.fd(), ByteBuffer.wrap(tag.value().getBytes(UTF_8)), 7L * PAGE);
      return parts(
          writer,
          tag,
          temp,
          writer.delta(layer.fd(), List.of(new PageRange(7L * PAGE, PAGE)), MEMORY_BYTES),
          Optional.of(new Manifest.Parent(parent.tag(), parent.contentHash())));
    }
  }

  static StoredSnapshot commit(Store store, Tag tag, Path temp) throws IOException {
    try (SnapshotWriter writer = store.begin(tag)) {
      return writer.commit(parts(writer, tag, temp));
    }
  }

  static StoredSnapshot commitDelta(Store store, Tag tag, Tag parent, Path temp)
      throws IOException {
    try (SnapshotWriter writer = store.begin(tag, Optional.of(parent))) {
      return writer.commit(deltaParts(writer, tag, store.get(parent).manifest(), temp));
    }
  }

  static Pending pending(Tag tag) {
    return Pending.writing(
        tag,
        1_700_000_001,
        64,
        Optional.empty(),
        Optional.of(BRANCH),
        Optional.of(1_800_000_000L),
        Optional.empty());
  }

  /** A manifest of a snapshot that is nowhere. */
  static Manifest imagined(
      String tag,
      long createdAtUnix,
      Optional<String> parent,
      Optional<SandboxId> branchOf,
      Optional<Long> expiresAtUnix) {
    return new Manifest(
        Manifest.FORMAT,
        Tag.of(tag),
        createdAtUnix,
        "imagination",
        VMM,
        new Manifest.Guest(64, 1, "6.1.0"),
        new Manifest.MemoryLayer("memory.img", MEMORY_BYTES, 4096, "abc"),
        new Manifest.StateFile("device.state", 1, "abc"),
        new Manifest.StateFile("rootfs.img", 1, "abc"),
        1,
        List.of(),
        Optional.empty(),
        Optional.empty(),
        parent.map(name -> new Manifest.Parent(Tag.of(name), "abc")),
        branchOf.map(sandbox -> new Manifest.Branch(sandbox, "diff", 1, 2, 3, false)),
        expiresAtUnix,
        Optional.empty(),
        Optional.empty());
  }

  static Manifest withParent(Manifest manifest, Manifest.Parent parent) {
    return with(manifest, parent, manifest.branch(), manifest.expiresAtUnix());
  }

  static Manifest branched(Manifest manifest, Manifest.Parent parent, long expiresAtUnix) {
    return with(manifest, parent, Optional.of(BRANCH), Optional.of(expiresAtUnix));
  }

  private static Manifest with(
      Manifest manifest,
      Manifest.Parent parent,
      Optional<Manifest.Branch> branch,
      Optional<Long> expiresAtUnix) {
    return new Manifest(
        manifest.format(),
        manifest.tag(),
        manifest.createdAtUnix(),
        manifest.source(),
        manifest.vmm(),
        manifest.guest(),
        manifest.memory(),
        manifest.deviceState(),
        manifest.rootfs(),
        manifest.agentProtocol(),
        manifest.runtimes(),
        manifest.rehearsal(),
        manifest.warning(),
        Optional.of(parent),
        branch,
        expiresAtUnix,
        Optional.empty(),
        Optional.empty());
  }
}
