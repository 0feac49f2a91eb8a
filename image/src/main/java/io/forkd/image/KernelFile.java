package io.forkd.image;

import io.forkd.base.ForkdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.zip.GZIPInputStream;

/**
 * What a kernel image says of itself.
 *
 * @param arch empty when the file's form does not tell
 */
record KernelFile(String release, Optional<Arch> arch) {
  private static final int LARGEST = 512 << 20;
  private static final byte[] BANNER = "Linux version ".getBytes(StandardCharsets.US_ASCII);
  private static final int X86_MAGIC = 0x202;
  private static final int X86_VERSION_POINTER = 0x20e;
  private static final int ARM64_MAGIC = 56;

  static KernelFile read(Path file) throws IOException {
    if (Files.size(file) > LARGEST) {
      throw notAKernel(file, "it is larger than 512 MiB");
    }
    return of(Files.readAllBytes(file))
        .orElseThrow(() -> notAKernel(file, "no Linux version is in it"));
  }

  static Optional<KernelFile> of(byte[] image) throws IOException {
    byte[] plain = isGzip(image) ? gunzip(image) : isZboot(image) ? unzboot(image) : image;
    if (holds(plain, X86_MAGIC, "HdrS")) {
      int pointer = 0x200 + little(plain).getShort(X86_VERSION_POINTER);
      return release(plain, pointer).map(text -> new KernelFile(text, Optional.of(Arch.X86_64)));
    }
    Optional<Arch> arch =
        holds(plain, ARM64_MAGIC, "ARMd") ? Optional.of(Arch.AARCH64) : Optional.empty();
    for (int at = indexOf(plain, 0); at >= 0; at = indexOf(plain, at + 1)) {
      Optional<String> found = release(plain, at + BANNER.length);
      if (found.isPresent()) {
        return Optional.of(new KernelFile(found.get(), arch));
      }
    }
    return Optional.empty();
  }

  /** The word at an offset when it looks like a release: the banner's format string does not. */
  private static Optional<String> release(byte[] image, int start) {
    int end = start;
    while (end >= 0
        && end < image.length
        && image[end] > ' '
        && image[end] < 0x7f
        && end - start < 128) {
      end++;
    }
    if (end <= start || !Character.isDigit(image[start])) {
      return Optional.empty();
    }
    String word = new String(image, start, end - start, StandardCharsets.US_ASCII);
    return word.matches("[0-9A-Za-z.+~_-]+") ? Optional.of(word) : Optional.empty();
  }

  private static int indexOf(byte[] image, int from) {
    for (int at = from; at <= image.length - BANNER.length; at++) {
      if (image[at] == BANNER[0]
          && Arrays.equals(image, at, at + BANNER.length, BANNER, 0, BANNER.length)) {
        return at;
      }
    }
    return -1;
  }

  private static boolean isGzip(byte[] image) {
    return image.length > 2 && image[0] == 0x1f && image[1] == (byte) 0x8b;
  }

  /** An EFI application that carries a compressed kernel, as newer arm64 kernels come. */
  private static boolean isZboot(byte[] image) {
    return holds(image, 0, "MZ") && holds(image, 4, "zimg");
  }

  private static byte[] unzboot(byte[] image) throws IOException {
    int offset = little(image).getInt(8);
    int size = little(image).getInt(12);
    if (!holds(image, 24, "gzip")
        || offset < 0
        || size < 0
        || (long) offset + size > image.length) {
      return image;
    }
    return gunzip(Arrays.copyOfRange(image, offset, offset + size));
  }

  private static byte[] gunzip(byte[] image) throws IOException {
    try (GZIPInputStream input = new GZIPInputStream(new ByteArrayInputStream(image))) {
      return input.readNBytes(LARGEST);
    }
  }

  private static boolean holds(byte[] image, int at, String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return image.length >= at + bytes.length
        && Arrays.equals(image, at, at + bytes.length, bytes, 0, bytes.length);
  }

  private static ByteBuffer little(byte[] image) {
    return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static ForkdException notAKernel(Path file, String why) {
    return ForkdException.badRequest(
        "%s is not a Linux kernel image: %s. Give a bzImage, an arm64 Image or a vmlinux.",
        file, why);
  }
}
