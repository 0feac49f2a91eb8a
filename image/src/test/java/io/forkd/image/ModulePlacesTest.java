package io.forkd.image;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where modules are looked for; each fake modules folder holds one file that says where it was. */
final class ModulePlacesTest {
  private static final String RELEASE = "9.9.9-test";

  @TempDir Path folder;
  private Path kernel;
  private Path root;
  private Path host;
  private Path cached;
  private Path copy;

  @BeforeEach
  void makeFolders() throws IOException {
    folder = folder.toRealPath();
    kernel = Files.createFile(Files.createDirectories(folder.resolve("package/boot")).resolve("k"));
    root = Files.createDirectories(folder.resolve("my root"));
    host = folder.resolve("host");
    cached = folder.resolve("cached");
    copy = Files.createDirectory(folder.resolve("a copy"));
  }

  @Test
  void theRootFolderComesFirstThenBesideTheKernelThenTheHostThenTheCache() throws IOException {
    List<Path> nearestFirst =
        List.of(
            root.resolve("lib/modules").resolve(RELEASE),
            root.resolve("usr/lib/modules").resolve(RELEASE),
            folder.resolve("package/lib/modules").resolve(RELEASE),
            folder.resolve("package/usr/lib/modules").resolve(RELEASE),
            folder.resolve("package/boot/lib/modules").resolve(RELEASE),
            host.resolve(RELEASE),
            cached);
    for (Path each : nearestFirst) {
      fakeModules(each);
    }
    for (Path expected : nearestFirst) {
      assertThat(found(root)).isEqualTo(expected.toString());
      Trees.delete(expected);
      Trees.delete(copy);
      Files.createDirectory(copy);
    }
    assertThat(places(root).copyTo(copy)).isFalse();
    assertThat(copy).isEmptyDirectory();
  }

  @Test
  void aLinkToTheKernelLeadsToTheModulesBesideTheKernel() throws IOException {
    Path modules = fakeModules(folder.resolve("package/lib/modules").resolve(RELEASE));
    kernel = Files.createSymbolicLink(root.resolve("vmlinuz"), kernel);

    assertThat(found(root)).isEqualTo(modules.toString());
  }

  @Test
  void modulesInAnExt4ImageAreFoundBeforeThoseBesideTheKernel() throws IOException {
    fakeModules(folder.resolve("package/lib/modules").resolve(RELEASE));
    Path inside = fakeModules(root.resolve("lib/modules").resolve(RELEASE));
    Files.createSymbolicLink(inside.resolve("build"), Path.of("/usr/src"));
    Files.createSymbolicLink(inside.resolve("kernel/link.ko"), Path.of("/etc/passwd"));
    Files.writeString(inside.resolve("kernel/a/readme"), "no module");
    Files.write(inside.resolve("kernel/large.ko.xz"), new byte[300_000]);

    assertThat(found(image())).isEqualTo(inside.toString());
    try (var tree = Files.walk(copy)) {
      assertThat(tree.filter(Files::isRegularFile).map(copy::relativize).map(Path::toString))
          .containsExactlyInAnyOrder("kernel/a/where.ko", "kernel/large.ko.xz", "modules.builtin");
    }
    assertThat(copy.resolve("kernel/large.ko.xz")).hasBinaryContent(new byte[300_000]);
  }

  @Test
  void anImageWithMergedUsrOrWithUsrOnlyIsSearchedToo() throws IOException {
    Path inside = fakeModules(root.resolve("usr/lib/modules").resolve(RELEASE));
    assertThat(found(image())).isEqualTo(inside.toString());

    Files.createSymbolicLink(root.resolve("lib"), Path.of("usr/lib"));
    Trees.delete(copy);
    Files.createDirectory(copy);
    assertThat(found(image())).isEqualTo(inside.toString());
  }

  @Test
  void anImageWithModulesOfAnotherReleaseIsPassedOver() throws IOException {
    fakeModules(root.resolve("lib/modules/1.1.1"));
    Path beside = fakeModules(folder.resolve("package/lib/modules").resolve(RELEASE));

    assertThat(found(image())).isEqualTo(beside.toString());
  }

  @Test
  void anImageThatNamesALinkAndAFileAlikeCannotWriteToTheHost() throws IOException {
    Path inside = fakeModules(root.resolve("lib/modules").resolve(RELEASE)).resolve("kernel");
    Path victim = folder.resolve("victim");
    Files.createSymbolicLink(inside.resolve("forged-A.ko"), victim);
    Files.writeString(inside.resolve("forged-B.ko"), "evil");
    Path image = image();
    String bytes = Files.readString(image, ISO_8859_1);
    Files.writeString(image, bytes.replace("forged-B", "forged-A"), ISO_8859_1);

    assertThat(places(image).copyTo(copy)).isTrue();

    assertThat(victim).doesNotExist();
    assertThat(copy.resolve("kernel/forged-A.ko"))
        .isRegularFile()
        .satisfies(file -> assertThat(Files.isSymbolicLink(file)).isFalse())
        .hasContent("evil");
  }

  @Test
  void foldersTooDeepForModulesAreRefused() throws IOException {
    Files.createDirectories(
        fakeModules(root.resolve("lib/modules").resolve(RELEASE))
            .resolve("kernel" + "/deeper".repeat(20)));
    ModulePlaces places = places(image());

    assertThatThrownBy(() -> places.copyTo(copy))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("is no modules folder");
  }

  @Test
  void aListOfWhatIsBuiltInIsEnough() throws IOException {
    Path modules = Files.createDirectories(host.resolve(RELEASE));
    Files.writeString(modules.resolve("modules.builtin"), "kernel/virtio_blk.ko\n");

    assertThat(places(root).copyTo(copy)).isTrue();
    assertThat(new ModuleFolder(copy).builtin("virtio_blk")).isTrue();
  }

  @Test
  void theRemarkNamesEachPlaceAndTheImageThatWasNotSearched() throws IOException {
    Path image = folder.resolve("disk.squashfs");
    Files.write(image, "hsqs".getBytes(US_ASCII));

    assertThat(places(image).remark(kernel, RELEASE))
        .contains("Looked in %1$s/package/lib/modules/9.9.9-test, ".formatted(folder))
        .contains("%s/host/9.9.9-test, ".formatted(folder))
        .contains("; not in %s, for only folders and ext4 images are searched. ".formatted(image))
        .contains("modules at %s/package/boot/lib/modules/9.9.9-test, or ".formatted(folder));
    assertThat(places(image()).remark(kernel, RELEASE))
        .contains("Looked in /lib/modules/9.9.9-test in %s/disk.ext4, ".formatted(folder))
        .doesNotContain("not in");
  }

  private ModulePlaces places(Path rootfs) throws IOException {
    return ModulePlaces.of(kernel, rootfs, RELEASE, host, release -> List.of(cached));
  }

  private String found(Path rootfs) throws IOException {
    assertThat(places(rootfs).copyTo(copy)).isTrue();
    return Files.readString(copy.resolve("kernel/a/where.ko"));
  }

  private Path image() throws IOException {
    Path image = folder.resolve("disk.ext4");
    Files.deleteIfExists(image);
    Command.of(Tool.MKE2FS, "-q", "-t", "ext4", "-O", "^metadata_csum", "-d", root, image, "16M")
        .run();
    return image;
  }

  private static Path fakeModules(Path modules) throws IOException {
    Files.createDirectories(modules.resolve("kernel/a"));
    Files.writeString(modules.resolve("kernel/a/where.ko"), modules.toString());
    Files.writeString(modules.resolve("modules.builtin"), "kernel/virtio.ko\n");
    return modules;
  }
}
