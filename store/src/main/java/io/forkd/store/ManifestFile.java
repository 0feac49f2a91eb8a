package io.forkd.store;

import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes manifest.json. */
final class ManifestFile {
  static final String NAME = "manifest.json";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private ManifestFile() {}

  static void write(Path dir, Manifest manifest) {
    try (Fd file = HostFiles.create(dir.resolve(NAME), 0644)) {
      FileIo.pwrite(file, ByteBuffer.wrap(JSON.writeValueAsBytes(manifest)), 0);
      FileIo.sync(file);
    }
  }

  static Manifest read(Path dir) {
    Path file = dir.resolve(NAME);
    try {
      Manifest manifest = JSON.readValue(Files.readAllBytes(file), Manifest.class);
      if (manifest.format() > Manifest.FORMAT) {
        throw ForkdException.conflict(
            "%s has format %d; this forkd reads up to %d. Upgrade forkd, or make the snapshot anew.",
            file, manifest.format(), Manifest.FORMAT);
      }
      return manifest;
    } catch (IOException | JacksonException e) {
      throw ForkdException.conflict(
          "%s cannot be read (%s). Remove the snapshot with `forkd rmi` and make it anew.",
          file, e.getMessage());
    }
  }
}
