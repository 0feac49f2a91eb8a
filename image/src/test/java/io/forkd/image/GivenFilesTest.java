package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A guest made of a user's kernel and root filesystem, with the host's real tools. */
final class GivenFilesTest {
  private static final GuestParts PARTS =
      new GuestParts("agent".getBytes(US_ASCII), Map.of("python.py", "code".getBytes(US_ASCII)));

  @TempDir Path folder;
  private Path kernel;
  private Path root;
  private Images images;

  @BeforeEach
  void makeFiles() throws IOException {
    byte[] image = new byte[0x1000];
    ByteBuffer header = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
    header.put(0x202, "HdrS".getBytes(US_ASCII)).putShort(0x20e, (short) 0x400);
    header.put(0x600, "9.9.9-test (x)\0".getBytes(US_ASCII));
    kernel = Files.write(folder.resolve("bzImage"), image);
    root = Files.createDirectories(folder.resolve("my root"));
    Files.createDirectories(root.resolve("etc/deep"));
    Files.writeString(root.resolve("etc/deep/file"), "hello");
    Files.createSymbolicLink(root.resolve("link"), Path.of("/etc/deep"));
    Files.write(root.resolve("large"), new byte[3 << 20]);
    images = new Images(folder.resolve("cache"), "x86_64");
  }

  @Test
  void aFolderBecomesAValidExt4ImageWithItsContent() throws IOException {
    GuestImage image = images.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE);

    assertThat(image.rootfsType()).isEqualTo("ext4");
    assertThat(image.kernelArguments()).isEqualTo("forkd.root=/dev/vda forkd.rootfstype=ext4");
    assertThat(image.kernelRelease()).isEqualTo("9.9.9-test");
    assertThat(image.rootfsSha256()).isEqualTo(Hashes.ofFile(image.rootfs()));
    assertThat(shell("debugfs -R 'cat /etc/deep/file' \"$1\" 2>/dev/null", image.rootfs()))
        .isEqualTo("hello");
    assertThat(shell("debugfs -R 'stat /link' \"$1\" 2>&1", image.rootfs()))
        .contains("Fast link dest: \"/etc/deep\"");
    assertThat(shell("dumpe2fs -h \"$1\" 2>&1", image.rootfs()))
        .contains("extent")
        .doesNotContain("has_journal");
    shell("e2fsck -fn \"$1\" 2>&1", image.rootfs());
  }

  @Test
  void theSameFolderGivesTheSameImageAndOneCacheEntry() throws IOException {
    GuestImage one = images.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE);
    GuestImage two = images.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE);

    assertThat(two).isEqualTo(one);
    assertThat(folder.resolve("cache/work")).isEmptyDirectory();
  }

  @Test
  void anImageIsCopiedSoThatLaterChangesToTheUsersFileDoNotReachIt() throws IOException {
    Path mine = folder.resolve("mine.img");
    Ext4.make(root, mine);

    GuestImage image = images.fromFiles(Optional.of(kernel), mine, PARTS, Progress.NONE);
    Files.writeString(mine, "overwritten");

    assertThat(image.rootfs()).startsWith(folder.resolve("cache"));
    assertThat(Hashes.ofFile(image.rootfs())).isEqualTo(image.rootfsSha256());
  }

  @Test
  void aKernelWithoutModulesIsTakenToHaveAllBuiltInAndThatIsSaid() throws IOException {
    GuestImage image = images.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE);

    assertThat(image.remarks())
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("No modules of kernel 9.9.9-test were found, so virtio, overlay and ")
        .contains(root + "/lib/modules/9.9.9-test, " + root + "/usr/lib/modules/9.9.9-test, ")
        .contains(folder.getParent() + "/lib/modules/9.9.9-test, ")
        .contains(" /lib/modules/9.9.9-test and the kernels forkd has fetched. Next: put ")
        .contains(" at " + folder + "/lib/modules/9.9.9-test, or give a kernel ");
    assertThat(entries(image))
        .contains(
            new CpioTest.Entry("init", 0100755, "agent", 0, 0),
            new CpioTest.Entry("forkd/modules.list", 0100644, "", 0, 0),
            new CpioTest.Entry("forkd/runtimes/python.py", 0100644, "code", 0, 0),
            new CpioTest.Entry("dev/console", 020600, "", 5, 1));
  }

  @Test
  void modulesInTheRootFolderAreUsedWhenTheyAreOfTheKernelsRelease() throws IOException {
    Path modules = Files.createDirectories(root.resolve("lib/modules/9.9.9-test/kernel/a"));
    Files.write(modules.resolve("virtio-blk.ko"), TestModule.make("depends=virtio"));
    Files.write(modules.resolve("virtio.ko"), TestModule.make("depends="));
    Files.write(modules.resolve("overlay.ko"), TestModule.make("license=GPL"));
    shell("xz \"$1\"", modules.resolve("virtio.ko"));
    shell("zstd -q --rm \"$1\"", modules.resolve("overlay.ko"));
    Files.writeString(
        modules.resolve("../../modules.builtin"),
        """
        kernel/fs/ext4.ko
        kernel/virtio_pci.ko
        kernel/virtio_console.ko
        kernel/virtio_net.ko
        """);

    GuestImage image = images.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE);

    assertThat(image.remarks()).isEmpty();
    assertThat(entries(image))
        .contains(
            new CpioTest.Entry(
                "forkd/modules.list", 0100644, "virtio.ko\nvirtio_blk.ko\noverlay.ko\n", 0, 0));
  }

  @Test
  void modulesInAnExt4ImageAreUsedAndChangedOnesReplaceThem() throws IOException {
    Path modules = Files.createDirectories(root.resolve("lib/modules/9.9.9-test/kernel/a"));
    Files.write(modules.resolve("virtio-blk.ko"), TestModule.make("depends="));
    Path mine = folder.resolve("mine.img");
    Ext4.make(root, mine);
    GuestImage first = images.fromFiles(Optional.of(kernel), mine, PARTS, Progress.NONE);

    Files.write(modules.resolve("overlay.ko"), TestModule.make("depends="));
    Files.delete(mine);
    Ext4.make(root, mine);
    GuestImage second = images.fromFiles(Optional.of(kernel), mine, PARTS, Progress.NONE);

    assertThat(first.remarks())
        .containsExactly(
            "Kernel 9.9.9-test has no module virtio_mmio, virtio_pci, virtio_console,"
                + " virtio_net, overlay, ext4; it is taken to be built in.");
    assertThat(entries(second))
        .contains(
            new CpioTest.Entry("forkd/modules.list", 0100644, "virtio_blk.ko\noverlay.ko\n", 0, 0));
  }

  @Test
  void aMissingOrWrongFileIsRefusedByName() throws IOException {
    Path nowhere = folder.resolve("nowhere");
    Path text = Files.writeString(folder.resolve("text"), "hello");

    assertRefused(nowhere, root, "The kernel " + nowhere + " does not exist.");
    assertRefused(kernel, nowhere, "The root filesystem " + nowhere + " does not exist.");
    assertRefused(text, root, text + " is not a Linux kernel image");
    assertRefused(root, root, "The kernel " + root + " is not a file.");
    assertRefused(kernel, text, "is neither a folder nor an ext4, erofs or squashfs image");
  }

  @Test
  void aKernelOfAnotherArchitectureIsRefused() {
    Images others = new Images(folder.resolve("cache"), "aarch64");

    assertThatThrownBy(() -> others.fromFiles(Optional.of(kernel), root, PARTS, Progress.NONE))
        .hasMessage("The kernel %s is for x86_64, but guests here are aarch64.".formatted(kernel));
  }

  private void assertRefused(Path askedKernel, Path askedRoot, String complaint) {
    assertThatThrownBy(
            () -> images.fromFiles(Optional.of(askedKernel), askedRoot, PARTS, Progress.NONE))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining(complaint);
  }

  private static List<CpioTest.Entry> entries(GuestImage image) throws IOException {
    return CpioTest.read(Files.readAllBytes(image.initrd()));
  }

  private static String shell(String script, Path argument) {
    return Command.of(Tool.SH, "-c", "PATH=$PATH:/usr/sbin; " + script, "sh", argument).run();
  }
}
