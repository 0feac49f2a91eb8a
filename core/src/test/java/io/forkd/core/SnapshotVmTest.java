package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of real guests: what can be made, and what is refused with which words. */
@Tag("vm")
class SnapshotVmTest {
  private final VmLab lab = VmLab.shared();

  @TempDir Path folder;

  @Test
  void aGuestWithoutARuntimeRunsPrograms() {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("essential");
    Snapshot snapshot = lab.forkd().createSnapshot(VmLab.recipe(tag, "base"), Progress.NONE);
    Sandbox child = forkOne(tag);

    assertThat(snapshot.runtimes()).isEmpty();
    assertThat(lab.sh(child, "echo from $(cat /etc/hostname)")).isEqualTo("from " + child.id());
    assertThatThrownBy(() -> lab.forkd().eval(child.id(), "1", VmLab.WAIT))
        .hasMessageContaining("python3");
    end(child, tag);
  }

  @Test
  void aFolderWithOneStaticProgramIsGuestEnough() throws Exception {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("one-program");
    Path program = Files.createDirectories(folder.resolve("root/bin")).resolve("hello");
    Path source =
        Files.writeString(
            folder.resolve("hello.c"),
            "#include <stdio.h>\nint main(){puts(\"hello\");return 3;}\n");
    Process compiler =
        new ProcessBuilder("gcc", "-static", "-o", program.toString(), source.toString())
            .inheritIO()
            .start();
    assertThat(compiler.waitFor()).isZero();

    lab.forkd().createSnapshot(files(tag, Optional.empty(), folder.resolve("root")), Progress.NONE);
    Sandbox child = forkOne(tag);
    var result = lab.forkd().exec(child.id(), List.of("/bin/hello"), VmLab.WAIT);

    assertThat(result.stdout()).isEqualTo("hello\n");
    assertThat(result.exitCode()).isEqualTo(3);
    end(child, tag);
  }

  @Test
  void warmupCodeIsRunOnceAndFailingCodeIsRefused() {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("warmed");
    lab.forkd().createSnapshot(warmed(tag, "import json; warm = json.dumps([1])"), Progress.NONE);
    Sandbox child = forkOne(tag);

    assertThat(lab.eval(child, "warm")).isEqualTo("'[1]'");
    end(child, tag);
    HostTraces before = HostTraces.of(lab);
    assertThatThrownBy(() -> lab.forkd().createSnapshot(warmed(tag, "1/0"), Progress.NONE))
        .hasMessageContaining("ZeroDivisionError");
    assertThat(HostTraces.of(lab)).isEqualTo(before);
    assertThat(staging()).isEmpty();
  }

  @Test
  void anExistingTagIsRefused() {
    assertRefused(VmLab.recipe(lab.python(), "python-numpy"), ErrorCode.BAD_REQUEST, "exists");
  }

  @Test
  void ofTwoSnapshotsOfOneTagOneWins() {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("contested");
    List<CompletableFuture<String>> both =
        Stream.of(1, 2)
            .map(
                i ->
                    CompletableFuture.supplyAsync(
                        () -> {
                          try {
                            lab.forkd().createSnapshot(VmLab.recipe(tag, "base"), Progress.NONE);
                            return "won";
                          } catch (ForkdException e) {
                            return e.code().toString();
                          }
                        },
                        task -> Thread.startVirtualThread(task)))
            .toList();

    assertThat(both.stream().map(CompletableFuture::join))
        .containsExactlyInAnyOrder("won", "CONFLICT");
    lab.forkd().removeSnapshot(tag, RemoveMode.SAFE);
  }

  @Test
  void missingFilesAreNamed() {
    Path missing = folder.resolve("no-such-file");
    assertRefused(files(Optional.of(missing), folder), ErrorCode.BAD_REQUEST, missing.toString());
    assertRefused(files(Optional.empty(), missing), ErrorCode.BAD_REQUEST, missing.toString());
    assertRefused(
        VmLab.recipe(io.forkd.base.Tag.of("x"), "no-such-recipe"),
        ErrorCode.BAD_REQUEST,
        "no-such-recipe");
  }

  @Test
  void aGuestThatIsNeverReadyShowsItsConsole() {
    SnapshotSpec impatient =
        new SnapshotSpec(
            io.forkd.base.Tag.of("impatient"),
            new SnapshotSpec.FromRecipe("base"),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Duration.ofMillis(1));
    HostTraces before = HostTraces.of(lab);

    assertRefused(impatient, ErrorCode.TIMEOUT, "did not become ready");

    assertThat(HostTraces.of(lab)).isEqualTo(before);
    assertThat(staging()).isEmpty();
  }

  @Test
  void aKernelThatStopsShowsItsLastWords() throws IOException {
    Path notARoot = Files.write(folder.resolve("disk.img"), new byte[1 << 20]);
    assertThatThrownBy(
            () -> lab.forkd().createSnapshot(files(Optional.empty(), notARoot), Progress.NONE))
        .hasMessageContaining(notARoot.toString());
  }

  @Test
  void aTruncatedMemoryFileIsNamed() throws IOException {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("damaged");
    Snapshot snapshot = lab.forkd().createSnapshot(VmLab.recipe(tag, "base"), Progress.NONE);
    Path memory = snapshot.dir().resolve("memory.img");
    try (RandomAccessFile file = new RandomAccessFile(memory.toFile(), "rw")) {
      file.setLength(file.length() / 2);
    }

    assertThatThrownBy(() -> forkOne(tag))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining(memory.toString());
    assertThat(lab.forkd().snapshot(tag).bootable()).isFalse();
    lab.forkd().removeSnapshot(tag, RemoveMode.SAFE);
  }

  @Test
  void aChangedMemoryFileIsRefused() throws IOException {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("tampered");
    Snapshot snapshot = lab.forkd().createSnapshot(VmLab.recipe(tag, "base"), Progress.NONE);
    try (RandomAccessFile file =
        new RandomAccessFile(snapshot.dir().resolve("memory.img").toFile(), "rw")) {
      file.seek(4096 * 1000);
      file.write("tampered".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    assertThatThrownBy(() -> forkOne(tag)).hasMessageContaining("has changed since it was made");
    lab.forkd().removeSnapshot(tag, RemoveMode.SAFE);
  }

  @Test
  void childrenOutliveTheirSnapshot() {
    io.forkd.base.Tag tag = io.forkd.base.Tag.of("short-lived");
    lab.forkd().createSnapshot(VmLab.recipe(tag, "base"), Progress.NONE);
    Sandbox child = forkOne(tag);

    lab.forkd().removeSnapshot(tag, RemoveMode.FORCE);

    assertThat(lab.sh(child, "ls /usr | wc -l")).isNotEqualTo("0");
    lab.forkd().kill(child.id());
    assertThatThrownBy(() -> forkOne(tag)).hasMessageContaining("no snapshot has the tag");
  }

  private Sandbox forkOne(io.forkd.base.Tag tag) {
    return lab.forkd().fork(new ForkSpec(tag, 1, Optional.empty())).sandboxes().getFirst();
  }

  private void end(Sandbox child, io.forkd.base.Tag tag) {
    lab.forkd().kill(child.id());
    lab.forkd().removeSnapshot(tag, RemoveMode.SAFE);
  }

  private static SnapshotSpec warmed(io.forkd.base.Tag tag, String code) {
    return new SnapshotSpec(
        tag,
        new SnapshotSpec.FromRecipe("python-numpy"),
        Optional.empty(),
        Optional.empty(),
        Optional.of(code),
        SnapshotSpec.DEFAULT_BOOT_WAIT);
  }

  private static SnapshotSpec files(Optional<Path> kernel, Path rootfs) {
    return files(io.forkd.base.Tag.of("from-files"), kernel, rootfs);
  }

  private static SnapshotSpec files(io.forkd.base.Tag tag, Optional<Path> kernel, Path rootfs) {
    return new SnapshotSpec(
        tag,
        new SnapshotSpec.FromFiles(kernel, rootfs),
        Optional.of(256),
        Optional.empty(),
        Optional.empty(),
        SnapshotSpec.DEFAULT_BOOT_WAIT);
  }

  private void assertRefused(SnapshotSpec spec, ErrorCode code, String words) {
    assertThatThrownBy(() -> lab.forkd().createSnapshot(spec, Progress.NONE))
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContaining(words);
  }

  private List<Path> staging() {
    try (Stream<Path> entries = Files.list(lab.locations.data().resolve("snapshots/.staging"))) {
      return entries.toList();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
