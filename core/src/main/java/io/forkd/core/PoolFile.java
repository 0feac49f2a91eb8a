package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;
import java.util.TreeMap;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Remembers over restarts which pools there are to be: tag and size. */
final class PoolFile {
  private static final JsonMapper JSON = new JsonMapper();

  private final Path file;

  PoolFile(Path file) {
    this.file = file;
  }

  Map<Tag, Integer> read() {
    Map<Tag, Integer> pools = new TreeMap<>();
    if (!Files.exists(file)) {
      return pools;
    }
    try {
      JsonNode json = JSON.readTree(Files.readAllBytes(file));
      for (Map.Entry<String, JsonNode> entry : json.properties()) {
        int warm = entry.getValue().asInt(0);
        if (warm < 1 || warm > Pools.MOST_WARM) {
          Log.CORE.warn("{}: there is no pool of {}, for {}", file, warm, entry.getKey());
        } else {
          pools.put(Tag.of(entry.getKey()), warm);
        }
      }
    } catch (IOException | JacksonException | ForkdException e) {
      Log.CORE.warn("{} is unreadable, so there are no pools: {}", file, e.toString());
    }
    return pools;
  }

  void write(Map<Tag, Integer> pools) {
    Map<String, Integer> plain = new TreeMap<>();
    pools.forEach((tag, warm) -> plain.put(tag.value(), warm));
    Path fresh = file.resolveSibling(file.getFileName() + ".new");
    try {
      Files.write(fresh, JSON.writeValueAsBytes(plain));
      Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      throw new ForkdException(ErrorCode.HOST_FAILED, "cannot write " + file, e);
    }
  }
}
