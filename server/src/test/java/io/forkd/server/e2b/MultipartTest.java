package io.forkd.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MultipartTest {
  private static final String TYPE = "multipart/form-data; boundary=----b";

  /** Gives as few bytes at a time as a network may. */
  private static final class Trickle extends InputStream {
    private final InputStream in;
    private final int most;

    Trickle(byte[] bytes, int most) {
      this.in = new ByteArrayInputStream(bytes);
      this.most = most;
    }

    @Override
    public int read() throws IOException {
      return in.read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return in.read(target, offset, Math.min(length, most));
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String part(String fileName, String content) {
    return "------b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n"
            .formatted(fileName)
        + "Content-Type: application/octet-stream\r\n\r\n"
        + content
        + "\r\n";
  }

  private static List<String> read(byte[] body, int most) throws IOException {
    Multipart form = Multipart.of(TYPE, new Trickle(body, most)).orElseThrow();
    List<String> parts = new ArrayList<>();
    for (Optional<Multipart.Part> part = form.next(); part.isPresent(); part = form.next()) {
      String content = new String(part.get().content().readAllBytes(), StandardCharsets.ISO_8859_1);
      parts.add(part.get().name() + "|" + part.get().fileName().orElse("") + "|" + content);
    }
    return parts;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 7, 64, 65536})
  void partsAreReadHoweverTheyAreCut(int most) throws IOException {
    String tricky = "\r\n----\r\n------\r\n------x\r\r\n--";
    byte[] body = bytes(part("/a", "one") + part("/b", tricky) + part("/c", "") + "------b--");

    assertThat(read(body, most)).containsExactly("file|/a|one", "file|/b|" + tricky, "file|/c|");
  }

  @Test
  void namesAreUnescapedAsBrowsersEscapeThem() throws IOException {
    byte[] body = bytes(part("/a%22b%0Ac é", "x") + "------b--\r\n");

    assertThat(read(body, 64)).containsExactly("file|/a\"b\nc é|x");
  }

  @Test
  void contentsOfAnyLengthKeepTheirBytes() throws IOException {
    Random random = new Random(7);
    for (int length : new int[] {0, 1, 65_530, 65_536, 65_537, 300_000}) {
      byte[] content = new byte[length];
      random.nextBytes(content);
      String text = new String(content, StandardCharsets.ISO_8859_1);
      byte[] body = (part("/r", text) + "------b--").getBytes(StandardCharsets.ISO_8859_1);

      assertThat(read(body, 4096)).containsExactly("file|/r|" + text);
    }
  }

  @Test
  void whatIsNotReadOfAPartIsSkipped() throws IOException {
    byte[] body = bytes(part("/a", "x".repeat(200_000)) + part("/b", "two") + "------b--");
    Multipart form = Multipart.of(TYPE, new Trickle(body, 999)).orElseThrow();
    InputStream first = form.next().orElseThrow().content();
    assertThat(first.readNBytes(3)).hasSize(3);

    assertThat(form.next().orElseThrow().fileName()).contains("/b");
    assertThat(first.read()).isEqualTo(-1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "nonsense",
        "------b",
        "------b\r\nContent-Disposition: form-data; name=\"file\"\r\n\r\nnever ends",
        "------bX\r\n\r\n\r\n------b--",
      })
  void whatIsCutShortIsRefused(String body) {
    assertThatThrownBy(() -> read(bytes(body), 5))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("multipart");
  }

  @Test
  void headersWithoutEndAreRefused() {
    byte[] body = bytes("------b\r\n" + "X: y\r\n".repeat(100_000));

    assertThatThrownBy(() -> read(body, 4096)).hasMessageContaining("too many header lines");
    assertThatThrownBy(() -> read(bytes("------b\r\n" + "x".repeat(100_000)), 4096))
        .hasMessageContaining("too long");
  }

  @Test
  void otherTypesAreNoForms() {
    assertThat(Multipart.of("application/octet-stream", InputStream.nullInputStream())).isEmpty();
    assertThat(Multipart.of("multipart/form-data", InputStream.nullInputStream())).isEmpty();
  }
}
