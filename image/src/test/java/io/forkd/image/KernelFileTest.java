package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

final class KernelFileTest {
  @Test
  void aBzImageNamesItsReleaseThroughItsHeader() throws IOException {
    byte[] image = new byte[0x4000];
    put(image, 0x202, "HdrS");
    little(image).putShort(0x20e, (short) 0x3000);
    put(image, 0x3200, "6.1.0-54-cloud-amd64 (someone@somewhere) #1 SMP\0");

    assertThat(KernelFile.of(image))
        .contains(new KernelFile("6.1.0-54-cloud-amd64", Optional.of(Arch.X86_64)));
  }

  @Test
  void anArm64ImageIsSearchedForItsBannerPastTheFormatString() throws IOException {
    assertThat(KernelFile.of(arm64()))
        .contains(new KernelFile("6.12.9+deb13-cloud-arm64", Optional.of(Arch.AARCH64)));
  }

  @Test
  void aCompressedImageIsReadToo() throws IOException {
    assertThat(KernelFile.of(gzip(arm64())))
        .contains(new KernelFile("6.12.9+deb13-cloud-arm64", Optional.of(Arch.AARCH64)));
  }

  @Test
  void anImageInAnEfiWrapperIsReadToo() throws IOException {
    byte[] payload = gzip(arm64());
    byte[] image = new byte[0x400 + payload.length];
    put(image, 0, "MZ");
    put(image, 4, "zimg");
    little(image).putInt(8, 0x400).putInt(12, payload.length).put(0x400, payload);
    put(image, 24, "gzip");

    assertThat(KernelFile.of(image)).isPresent();
  }

  @Test
  void anythingElseIsNoKernel() throws IOException {
    assertThat(KernelFile.of(new byte[0])).isEmpty();
    assertThat(KernelFile.of("Linux version %s".getBytes(US_ASCII))).isEmpty();
    assertThat(KernelFile.of("Linux version ".getBytes(US_ASCII))).isEmpty();
    byte[] broken = new byte[0x300];
    put(broken, 0x202, "HdrS");
    little(broken).putShort(0x20e, (short) 0x7fff);
    assertThat(KernelFile.of(broken)).isEmpty();
  }

  private static byte[] arm64() {
    byte[] image = new byte[0x2000];
    put(image, 56, "ARMd");
    put(image, 0x800, "Linux version %s (%s)\0");
    put(image, 0x1000, "Linux version 6.12.9+deb13-cloud-arm64 (someone) #1\0");
    return image;
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (GZIPOutputStream output = new GZIPOutputStream(bytes)) {
      output.write(content);
    }
    return bytes.toByteArray();
  }

  private static ByteBuffer little(byte[] image) {
    return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
  }

  private static void put(byte[] image, int at, String text) {
    ByteBuffer.wrap(image).put(at, text.getBytes(US_ASCII));
  }
}
