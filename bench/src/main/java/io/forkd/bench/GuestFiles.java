package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * What a snapshot's guest was booted from, found again in the daemon's image cache, so that peers
 * run the very same files.
 *
 * @param root the folder the guest's disk was made of; nobody may write to it
 * @param disk the guest's disk
 */
record GuestFiles(Path root, Path disk, Path kernel, Path initrd, String cpu) {

  static GuestFiles of(Path snapshotDir, Path data) {
    JsonObject manifest = Json.parseObject(read(snapshotDir.resolve("manifest.json")));
    String disk = manifest.object("rootfs").map(it -> it.text("sha256")).orElse("");
    String release = manifest.object("guest").map(it -> it.text("kernel_release")).orElse("");
    Path images = data.resolve("images");
    Path root =
        newest(images.resolve("roots"), entry -> holds(entry.resolve("sha256"), disk))
            .orElseThrow(() -> missing("the root folder of the disk " + disk, images));
    Path kernel =
        newest(images.resolve("kernels"), entry -> holds(entry.resolve("release"), release))
            .orElseThrow(() -> missing("the kernel " + release, images));
    Path initrd =
        newest(images.resolve("initrds"), entry -> modulesFit(entry, release))
            .orElseThrow(() -> missing("an initrd with modules of the kernel " + release, images));
    return new GuestFiles(
        root.resolve("root"),
        root.resolve("disk"),
        kernel.resolve("vmlinuz"),
        initrd.resolve("initrd.cpio"),
        manifest.object("vmm").map(it -> it.text("cpu")).orElse("max"));
  }

  private static Optional<Path> newest(Path folder, Predicate<Path> fits) {
    if (!Files.isDirectory(folder)) {
      return Optional.empty();
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .filter(fits)
          .max(Comparator.comparingLong(entry -> entry.toFile().lastModified()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static boolean holds(Path file, String text) {
    return !text.isEmpty() && Files.isRegularFile(file) && read(file).strip().equals(text);
  }

  /** Every module says in clear text which kernel it is for. */
  private static boolean modulesFit(Path entry, String release) {
    Path file = entry.resolve("initrd.cpio");
    if (!Files.isRegularFile(file)) {
      return false;
    }
    try {
      return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1)
          .contains("vermagic=" + release + " ");
    } catch (IOException e) {
      return false;
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "%s cannot be read (%s): run the benchmark on the daemon's host, as the daemon's user."
              .formatted(file, e),
          e);
    }
  }

  private static ForkdException missing(String what, Path images) {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        "%s is not in %s any more: peers need a snapshot made from a recipe; make it again with `forkd snapshot`."
            .formatted(what, images));
  }
}
