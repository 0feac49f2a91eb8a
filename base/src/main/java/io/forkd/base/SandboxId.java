package io.forkd.base;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.HexFormat;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * The name of a sandbox, {@code sb-<hex>-<nnnn>}: one random part per fork request, one number per
 * child.
 */
public record SandboxId(@JsonValue String value) implements Comparable<SandboxId> {
  private static final Pattern VALID = Pattern.compile("sb-[0-9a-f]{8,16}-[0-9]{4}");

  @JsonCreator
  public SandboxId {
    if (!isValid(value)) {
      throw ForkdException.badRequest(
          "'%s' is not a sandbox id: expected sb-<hex>-<nnnn>, as `forkd ls` prints it.",
          Printable.shorten(value));
    }
  }

  public static boolean isValid(String value) {
    return VALID.matcher(value).matches();
  }

  public static SandboxId of(String value) {
    return new SandboxId(value);
  }

  /** The random part that all children of one fork request share. */
  public static String newBatch(RandomGenerator random) {
    return HexFormat.of().toHexDigits(random.nextLong(), 10);
  }

  public static SandboxId of(String batch, int number) {
    return new SandboxId("sb-%s-%04d".formatted(batch, number));
  }

  @Override
  public int compareTo(SandboxId other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
