package io.forkd.image;

import io.forkd.base.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.stream.Stream;

/** A SHA-256 over parts, each preceded by its length so that no two lists of parts collide. */
final class Hashes {
  private final MessageDigest digest = Sha256.begin();

  Hashes add(byte[] part) {
    digest.update("%d:".formatted(part.length).getBytes(StandardCharsets.US_ASCII));
    digest.update(part);
    return this;
  }

  Hashes add(String part) {
    return add(part.getBytes(StandardCharsets.UTF_8));
  }

  String hex() {
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The plain SHA-256 of a file, as sha256sum prints it. */
  static String ofFile(Path file) throws IOException {
    MessageDigest digest = Sha256.begin();
    byte[] buffer = new byte[1 << 20];
    try (InputStream input = Files.newInputStream(file)) {
      for (int count = input.read(buffer); count >= 0; count = input.read(buffer)) {
        digest.update(buffer, 0, count);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  /** The names and contents of all regular files below a folder. */
  static String ofTree(Path folder) throws IOException {
    Hashes hashes = new Hashes();
    try (Stream<Path> tree = Files.walk(folder)) {
      for (Path file : tree.sorted().toList()) {
        if (Files.isRegularFile(file)) {
          hashes.add(folder.relativize(file).toString()).add(ofFile(file));
        }
      }
    }
    return hashes.hex();
  }

  static String of(byte[] content) {
    return HexFormat.of().formatHex(Sha256.begin().digest(content));
  }
}
