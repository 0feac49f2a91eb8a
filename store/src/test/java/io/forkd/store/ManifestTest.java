package io.forkd.store;

import static io.forkd.store.Samples.TAG;
import static io.forkd.store.StoreTest.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.ErrorCode;
import io.forkd.base.Tag;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.OpenFlag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A kept snapshot that somebody has damaged, or that comes from elsewhere. */
@Timeout(60)
class ManifestTest {
  @TempDir Path temp;
  private Store store;
  private StoredSnapshot kept;
  private Path manifest;

  @BeforeEach
  void keepOne() throws IOException {
    store = Store.open(temp.resolve("data"));
    kept = Samples.commit(store, TAG, temp);
    manifest = kept.dir().resolve("manifest.json");
  }

  private void rewrite(String from, String to) throws IOException {
    String old = Files.readString(manifest);
    String changed = old.replaceAll(from, to);
    assertThat(changed).as("the test changes something").isNotEqualTo(old);
    Files.writeString(manifest, changed);
  }

  @ParameterizedTest
  @ValueSource(strings = {"memory.img", "device.state", "rootfs.img"})
  void aFileThatIsShorterOrLongerOrMissingIsNamed(String name) throws IOException {
    Path file = kept.dir().resolve(name);
    long size = Files.size(file);
    for (long wrong : new long[] {0, size - 1, size + 1}) {
      try (var fd = HostFiles.open(file, OpenFlag.READ_WRITE)) {
        FileIo.truncate(fd, wrong);
      }
      assertFails(
          () -> store.get(TAG).checkFiles(),
          ErrorCode.CONFLICT,
          file.toString(),
          "%d bytes instead of %d".formatted(wrong, size),
          "forkd rmi python-numpy");
    }
    Files.delete(file);
    assertFails(
        () -> store.get(TAG).checkFiles(), ErrorCode.CONFLICT, file + " is missing", "forkd rmi");
  }

  @Test
  void aManifestOfANewerFormatIsRefusedWithBothFormats() throws IOException {
    rewrite("\"format\" : 2", "\"format\" : 3");
    assertFails(
        () -> store.get(TAG), ErrorCode.CONFLICT, "format 3", "reads up to 2", "Upgrade forkd");
    assertThat(store.list()).isEmpty();
    store.removeAlone(TAG);
  }

  /** As forkd 0.1 wrote it before there were parents. */
  private static final String FORMAT_1 =
      """
      {
        "format" : 1,
        "tag" : "python-numpy",
        "created_at_unix" : 1700000000,
        "source" : "recipe python-numpy",
        "vmm" : {
          "name" : "qemu",
          "version" : "7.2.22",
          "arch" : "x86_64",
          "machine" : "microvm/tcg",
          "cpu" : "max",
          "tsc_khz" : 0
        },
        "guest" : {
          "memory_mib" : 64,
          "vcpus" : 1,
          "kernel_release" : "6.1.0"
        },
        "memory" : {
          "file" : "memory.img",
          "logical_bytes" : 67108864,
          "physical_bytes" : 16384,
          "sha256" : "0a1b2c"
        },
        "device_state" : {
          "file" : "device.state",
          "bytes" : 5000,
          "sha256" : "3d4e5f"
        },
        "rootfs" : {
          "file" : "rootfs.img",
          "bytes" : 10000,
          "sha256" : "cafe"
        },
        "agent_protocol" : 1,
        "runtimes" : [ "python" ],
        "rehearsal" : "None"
      }
      """;

  @Test
  void aManifestOfTheFirstFormatIsStillRead() throws IOException {
    Files.writeString(manifest, FORMAT_1);
    Manifest old = store.get(TAG).manifest();
    assertThat(old.format()).isEqualTo(1);
    assertThat(old.tag()).isEqualTo(TAG);
    assertThat(old.vmm()).isEqualTo(Samples.VMM);
    assertThat(old.rehearsal()).contains("None");
    assertThat(old.parent()).isEmpty();
    assertThat(old.branch()).isEmpty();
    assertThat(old.expiresAtUnix()).isEmpty();
    assertThat(old.isDelta()).isFalse();
    assertThat(old.contentHash()).isEqualTo("0a1b2c");
    store.get(TAG).checkFiles();
    assertThat(store.chain(TAG)).hasSize(1);
    Samples.commitDelta(store, Tag.of("child"), TAG, temp);
    assertThat(store.chain(Tag.of("child"))).hasSize(2);
  }

  @Test
  void whatABranchIsSurvivesTheDiskAndNothingElseIsWritten() throws IOException {
    Manifest plain = kept.manifest();
    Manifest branch =
        Samples.branched(plain, new Manifest.Parent(Tag.of("base"), "beef"), 1_800_000_000L);
    ManifestFile.write(Files.createDirectories(temp.resolve("x/python-numpy")), branch);
    assertThat(ManifestFile.read(temp.resolve("x/python-numpy"))).isEqualTo(branch);
    String json = Files.readString(temp.resolve("x/python-numpy/manifest.json"));
    assertThat(json)
        .contains("\"content_hash\" : \"beef\"", "\"sandbox\" : \"sb-0123456789-0001\"")
        .contains("\"pause_ms\" : 3.5", "\"delta_bytes\" : 40960", "\"automatic\" : true")
        .contains("\"expires_at_unix\" : 1800000000")
        .doesNotContain("\"delta\"");
    assertThat(Files.readString(manifest)).doesNotContain("parent", "branch", "expires");
  }

  @Test
  void aNewerFormatIsRecognisedEvenWhenNothingElseIsAsItWas() throws IOException {
    Files.writeString(manifest, "{\"format\": 7, \"layers\": []}");
    assertFails(() -> store.get(TAG), ErrorCode.CONFLICT, "format 7");
  }

  @Test
  void whatLaterVersionsAddToThisFormatIsIgnored() throws IOException {
    rewrite("\"format\" : 2", "\"format\" : 2, \"added_later\" : {\"a\": [1]}");
    assertThat(store.get(TAG)).isEqualTo(kept);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "42",
        "{}",
        "{\"format\": 0}",
        "{\"format\": -1}",
        "{\"format\": 1}",
        "{\"format\": 1, \"tag\": \"../x\", \"runtimes\": []}",
        "\u0000\u0000\u0000\u0000"
      })
  void garbageIsRefusedByNameAndDoesNotHideTheOthers(String content) throws IOException {
    StoredSnapshot other = Samples.commit(store, Tag.of("other"), temp);
    Files.writeString(manifest, content);
    assertFails(
        () -> store.get(TAG), ErrorCode.CONFLICT, manifest.toString(), "Remove the snapshot");
    assertThat(store.list()).containsExactly(other);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tag",
        "source",
        "vmm",
        "guest",
        "memory",
        "device_state",
        "rootfs",
        "runtimes",
        "version",
        "cpu",
        "machine",
        "file",
        "sha256",
        "kernel_release"
      })
  void aManifestThatLacksSomethingIsRefused(String field) throws IOException {
    rewrite("\"%s\" :".formatted(field), "\"%s_\" :".formatted(field));
    assertFails(() -> store.get(TAG), ErrorCode.CONFLICT, manifest.toString());
    assertThat(store.list()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"../other/memory.img", "/etc/shadow", "..", ".", "", "a/b", ".hidden"})
  void aFileOutsideTheSnapshotsFolderIsRefused(String file) throws IOException {
    rewrite("\"memory.img\"", "\"%s\"".formatted(file));
    assertFails(() -> store.get(TAG), ErrorCode.CONFLICT, manifest.toString());
  }

  @Test
  void aCopyUnderAnotherNameIsNotTakenForTheOriginal() throws IOException {
    Path copy = kept.dir().resolveSibling("copy");
    Files.move(kept.dir(), copy);
    assertFails(() -> store.get(Tag.of("copy")), ErrorCode.CONFLICT, "snapshot python-numpy");
    assertThat(store.list()).isEmpty();
  }

  static Stream<Manifest.Vmm> otherHosts() {
    return Stream.of(
        new Manifest.Vmm("firecracker", "7.2.22", "x86_64", "microvm/tcg", "max"),
        new Manifest.Vmm("qemu", "7.2.23", "x86_64", "microvm/tcg", "max"),
        new Manifest.Vmm("qemu", "7.2.22", "aarch64", "microvm/tcg", "max"),
        new Manifest.Vmm("qemu", "7.2.22", "x86_64", "microvm/kvm", "max"),
        new Manifest.Vmm("qemu", "7.2.22", "x86_64", "microvm/tcg", "host"));
  }

  @ParameterizedTest
  @MethodSource("otherHosts")
  void aSnapshotOfAnotherMonitorOrMachineIsRefusedWithBothDescribed(Manifest.Vmm here) {
    assertFails(
        () -> kept.checkRestorableOn(here),
        ErrorCode.CONFLICT,
        "made by qemu 7.2.22 (x86_64, microvm/tcg, cpu max)",
        "restored by %s %s (%s, %s, cpu %s)"
            .formatted(here.name(), here.version(), here.arch(), here.machine(), here.cpu()));
  }

  @Test
  void aSnapshotMadeHereMayBeRestoredHere() {
    kept.checkRestorableOn(Samples.VMM);
    kept.checkFiles();
  }
}
