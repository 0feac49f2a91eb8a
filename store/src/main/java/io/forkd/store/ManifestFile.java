package io.forkd.store;

import io.forkd.base.ForkdException;
import io.forkd.linux.Fd;
import io.forkd.linux.FileIo;
import io.forkd.linux.HostFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.exc.StreamReadException;
import tools.jackson.databind.JsonNode;

/** Reads and writes manifest.json. */
final class ManifestFile {
  static final String NAME = "manifest.json";

  private static final String REMEDY = "Remove the snapshot with `forkd rmi` and make it anew.";

  private ManifestFile() {}

  static void write(Path dir, Manifest manifest) {
    try (Fd file = HostFiles.create(dir.resolve(NAME), 0644)) {
      FileIo.pwrite(file, ByteBuffer.wrap(StoreJson.MAPPER.writeValueAsBytes(manifest)), 0);
      FileIo.sync(file);
    }
  }

  /** A parser explains itself at length; it stands in a table and within other sentences. */
  private static String firstLine(@Nullable String text) {
    return String.valueOf(text).lines().findFirst().orElse("");
  }

  static Manifest read(Path dir) {
    Path file = dir.resolve(NAME);
    try {
      // Looked at first, because a newer format need not have what this one reads.
      JsonNode json = StoreJson.MAPPER.readTree(Files.readAllBytes(file));
      int format = json.path("format").asInt(0);
      if (format > Manifest.FORMAT) {
        throw ForkdException.conflict(
            "%s has format %d; this forkd reads up to %d. Upgrade forkd, or make the snapshot"
                + " anew.",
            file, format, Manifest.FORMAT);
      }
      if (format < 1 || !json.isObject()) {
        throw ForkdException.conflict("%s is no manifest. %s", file, REMEDY);
      }
      Manifest manifest = StoreJson.MAPPER.treeToValue(json, Manifest.class);
      if (!dir.endsWith(manifest.tag().value())) {
        throw ForkdException.conflict(
            "%s is the manifest of snapshot %s, in another's folder. %s",
            file, manifest.tag(), REMEDY);
      }
      return manifest;
    } catch (NoSuchFileException e) {
      throw ForkdException.conflict("%s is missing. %s", file, REMEDY);
    } catch (StreamReadException e) {
      throw ForkdException.conflict("%s cannot be read: it is not JSON. %s", file, REMEDY);
    } catch (JacksonException e) {
      throw ForkdException.conflict(
          "%s cannot be read (%s). %s", file, firstLine(e.getOriginalMessage()), REMEDY);
    } catch (IOException e) {
      throw ForkdException.conflict("%s cannot be read (%s). %s", file, e.getMessage(), REMEDY);
    }
  }
}
