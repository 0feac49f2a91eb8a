package io.forkd.core;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;

/** Reads and writes a sandbox's record; a reader sees the old or the new one, never half of one. */
final class RecordFile {
  private static final String NAME = "record.json";

  private static final JsonMapper JSON =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
          .changeDefaultPropertyInclusion(
              inclusion -> inclusion.withValueInclusion(JsonInclude.Include.NON_ABSENT))
          .build();

  private RecordFile() {}

  static void write(Path dir, SandboxRecord sandboxRecord) throws IOException {
    Path fresh = dir.resolve(NAME + ".new");
    Files.deleteIfExists(fresh);
    try (Fd file = HostFiles.create(fresh, 0600)) {
      FileIo.pwrite(file, ByteBuffer.wrap(JSON.writeValueAsBytes(sandboxRecord)), 0);
    } catch (LinuxException e) {
      throw new IOException(e);
    }
    Files.move(fresh, dir.resolve(NAME), StandardCopyOption.ATOMIC_MOVE);
  }

  /** Empty when there is none that can be read. */
  static Optional<SandboxRecord> read(Path dir) {
    try {
      return Optional.ofNullable(
          JSON.readValue(Files.readAllBytes(dir.resolve(NAME)), SandboxRecord.class));
    } catch (IOException | JacksonException e) {
      return Optional.empty();
    }
  }
}
