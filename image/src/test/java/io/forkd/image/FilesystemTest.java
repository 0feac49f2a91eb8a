package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

final class FilesystemTest {
  @Test
  void aFilesystemIsToldByItsSuperblock() {
    assertThat(Filesystem.of(little().putShort(1080, (short) 0xef53).array()))
        .contains(Filesystem.EXT4);
    assertThat(Filesystem.of(little().putInt(1024, 0xe0f5e1e2).array())).contains(Filesystem.EROFS);
    assertThat(Filesystem.of(little().put("hsqs".getBytes(US_ASCII)).array()))
        .contains(Filesystem.SQUASHFS);
  }

  @Test
  void anythingElseIsNotOne() {
    assertThat(Filesystem.of(new byte[2048])).isEmpty();
    assertThat(Filesystem.of(new byte[0])).isEmpty();
    assertThat(Filesystem.of(new byte[1081])).isEmpty();
  }

  private static ByteBuffer little() {
    return ByteBuffer.allocate(2048).order(ByteOrder.LITTLE_ENDIAN);
  }
}
