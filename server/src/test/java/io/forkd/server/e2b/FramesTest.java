package io.forkd.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Json;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

class FramesTest {
  private static final byte[] HI = Frames.message(Json.object().with("a", "b"));

  private static ByteArrayInputStream in(byte[] bytes) {
    return new ByteArrayInputStream(bytes);
  }

  @Test
  void aMessageIsAsTheProtocolSays() {
    assertThat(HexFormat.of().formatHex(HI)).isEqualTo("0000000009" + "7b2261223a2262227d");
    assertThat(HexFormat.of().formatHex(Frames.end())).isEqualTo("0200000002" + "7b7d");
    assertThat(new String(Frames.end(RpcCode.NOT_FOUND, "gone"), StandardCharsets.UTF_8))
        .endsWith("{\"error\":{\"code\":\"not_found\",\"message\":\"gone\"}}");
  }

  @Test
  void messagesAreReadOneAfterTheOther() throws IOException {
    ByteArrayInputStream two = in(ByteBuffer.allocate(2 * HI.length).put(HI).put(HI).array());

    assertThat(Frames.read(two).orElseThrow().text("a")).contains("b");
    assertThat(Frames.read(two).orElseThrow().text("a")).contains("b");
    assertThat(Frames.read(two)).isEmpty();
    assertThat(Frames.read(in(Frames.end()))).isEmpty();
  }

  @Test
  void whatIsCutShortIsRefused() {
    for (int length = 1; length < HI.length; length++) {
      byte[] cut = Arrays.copyOf(HI, length);
      assertThatThrownBy(() -> Frames.read(in(cut))).isInstanceOf(ForkdException.class);
    }
  }

  @Test
  void whatIsTooLongOrCompressedIsRefusedBeforeItIsRead() {
    byte[] huge = {0, 0x7f, -1, -1, -1};
    byte[] negative = {0, -1, -1, -1, -1};
    byte[] compressed = {1, 0, 0, 0, 1, '{'};

    assertThatThrownBy(() -> Frames.read(in(huge))).hasMessageContaining("at most");
    assertThatThrownBy(() -> Frames.read(in(negative))).hasMessageContaining("4294967295");
    assertThatThrownBy(() -> Frames.read(in(compressed))).hasMessageContaining("plain");
  }
}
