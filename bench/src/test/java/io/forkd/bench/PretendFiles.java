package io.forkd.bench;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.JsonObject;
import java.io.IOException;
import java.io.OutputStream;

/** The one file that a pretended sandbox has. */
final class PretendFiles {
  private byte[] content = new byte[0];
  private boolean spoiled;

  synchronized JsonObject write(byte[] bytes) {
    content = bytes.clone();
    return JsonObject.ofPairs("path", "/tmp/x", "type", "file", "size", bytes.length);
  }

  synchronized void spoil() {
    spoiled = true;
  }

  synchronized boolean read(OutputStream out) throws IOException {
    if (spoiled) {
      content[content.length / 2]++;
    }
    out.write(
        "HTTP/1.1 200 x\r\nContent-Length: %d\r\n\r\n".formatted(content.length).getBytes(UTF_8));
    out.write(content);
    return false;
  }
}
