package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.core.ChildSpec;
import io.forkd.server.http.Json;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

/**
 * E2B's metadata as labels of a sandbox. Metadata that can be labels are labels, which `forkd ls
 * --label` finds; any other is packed into labels whose names begin with {@code e2b/metadata.}.
 */
final class Labels {
  /** What the client called the template. */
  static final String TEMPLATE = "e2b/template";

  /** Whether a request to the paused sandbox resumes it. */
  static final String AUTO_RESUME = "e2b/auto-resume";

  /** Whether its ports are open to everybody. */
  static final String PUBLIC = "e2b/public";

  static final String YES = "yes";

  private static final String OURS = "e2b/";
  private static final String PACKED = "e2b/metadata.";
  private static final Pattern PLAIN_NAME = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._/-]{0,63}");
  private static final int RESERVED = 4;
  private static final int MOST_UNPACKED = 64 << 10;

  private Labels() {}

  static Map<String, String> of(Map<String, String> metadata) {
    return isPlain(metadata) ? new HashMap<>(metadata) : packed(metadata);
  }

  private static boolean isPlain(Map<String, String> metadata) {
    return metadata.size() <= ChildSpec.MOST_LABELS - RESERVED
        && metadata.entrySet().stream()
            .allMatch(
                pair ->
                    PLAIN_NAME.matcher(pair.getKey()).matches()
                        && !pair.getKey().startsWith(OURS)
                        && pair.getValue().length() <= ChildSpec.LONGEST_VALUE
                        && pair.getValue().chars().noneMatch(Character::isISOControl));
  }

  private static Map<String, String> packed(Map<String, String> metadata) {
    byte[] json = Json.bytes(metadata);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DeflaterOutputStream out = new DeflaterOutputStream(bytes)) {
      out.write(json);
    } catch (IOException e) {
      throw new IllegalStateException("memory cannot fail", e);
    }
    String text = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
    int most = (ChildSpec.MOST_LABELS - RESERVED) * ChildSpec.LONGEST_VALUE;
    if (text.length() > most || json.length > MOST_UNPACKED) {
      throw ForkdException.badRequest(
          "The metadata takes %d bytes: use at most %d.", json.length, most * 3 / 4);
    }
    Map<String, String> labels = new HashMap<>();
    for (int i = 0; i * ChildSpec.LONGEST_VALUE < text.length(); i++) {
      int from = i * ChildSpec.LONGEST_VALUE;
      int to = Math.min(text.length(), from + ChildSpec.LONGEST_VALUE);
      labels.put(PACKED + "%02d".formatted(i), text.substring(from, to));
    }
    return labels;
  }

  /** The metadata that labels stand for. */
  static Map<String, String> metadata(Map<String, String> labels) {
    Map<String, String> metadata = new TreeMap<>();
    StringBuilder packed = new StringBuilder();
    new TreeMap<>(labels)
        .forEach(
            (name, value) -> {
              if (name.startsWith(PACKED)) {
                packed.append(value);
              } else if (!name.startsWith(OURS)) {
                metadata.put(name, value);
              }
            });
    if (!packed.isEmpty()) {
      metadata.putAll(unpacked(packed.toString()));
    }
    return metadata;
  }

  /** Labels that somebody changed may not be readable any more: they are no metadata then. */
  private static Map<String, String> unpacked(String text) {
    try (InflaterInputStream in =
        new InflaterInputStream(new ByteArrayInputStream(Base64.getUrlDecoder().decode(text)))) {
      Body all = new Body(Map.of("all", Body.read(in.readNBytes(MOST_UNPACKED)).fields()));
      return all.pairs("all");
    } catch (IOException | IllegalArgumentException | ForkdException e) {
      return Map.of();
    }
  }
}
