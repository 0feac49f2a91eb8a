package io.forkd.server;

import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;

/** JSON texts that fit a schema, or miss it, at random. */
final class Samples {
  private final Random random;

  Samples(long seed) {
    random = new Random(seed);
  }

  /** A value that fits; what it names does not exist. */
  String right(Schema schema) {
    return switch (schema) {
      case Schema.Text text when !text.values().isEmpty() -> quoted(pick(text.values()));
      case Schema.Text text when text.pattern().isPresent() -> quoted(matching(text));
      case Schema.Text _ -> quoted("t" + random.nextInt(1000));
      case Schema.Whole whole ->
          Long.toString(whole.least().orElse(0L) + random.nextInt(room(whole)));
      case Schema.Decimal decimal -> Double.toString(decimal.least().orElse(0.0) + 0.5);
      case Schema.Flag _ -> Boolean.toString(random.nextBoolean());
      case Schema.ListOf list -> "[" + right(list.items()) + "]";
      case Schema.MapOf map -> "{\"k\":" + right(map.values()) + "}";
      case Schema.OrNull orNull -> random.nextBoolean() ? "null" : right(orNull.schema());
      case Schema.AnyOf any -> right(pick(any.choices()));
      case Schema.Anything _ -> "0";
      case Schema.Shape shape -> object(shape, -1);
    };
  }

  private static int room(Schema.Whole whole) {
    long room = whole.most().orElse(Long.MAX_VALUE / 2) - whole.least().orElse(0L) + 1;
    return (int) Math.min(3, Math.max(1, room));
  }

  private String matching(Schema.Text text) {
    String pattern = text.pattern().orElseThrow();
    if (pattern.startsWith("sb-")) {
      return "sb-" + HexFormat.of().toHexDigits(random.nextLong(), 10) + "-0000";
    }
    if (pattern.startsWith("[0-7]")) {
      return "0750";
    }
    String word = HexFormat.of().toHexDigits(random.nextLong());
    if (!word.matches(pattern)) {
      throw new AssertionError("no sample for " + pattern);
    }
    return word;
  }

  /** An object all of whose fields fit, but for the one whose number is given. */
  String object(Schema.Shape shape, int wrong) {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < shape.fields().size(); i++) {
      Schema.Field field = shape.fields().get(i);
      if (i == wrong) {
        fields.add(quoted(field.name()) + ":" + wrong(field.schema()));
      } else if (field.required() || random.nextInt(4) == 0) {
        fields.add(quoted(field.name()) + ":" + right(field.schema()));
      }
    }
    return "{" + String.join(",", fields) + "}";
  }

  /** A value that does not fit. */
  String wrong(Schema schema) {
    return switch (schema) {
      case Schema.Text text when text.pattern().isPresent() || !text.values().isEmpty() ->
          pick(
              List.of(
                  "\"\"",
                  "\"../../etc/passwd\"",
                  "\"a\\u0000b\"",
                  "\"ä\\u202e\"",
                  "7",
                  "[]",
                  "{}",
                  "true",
                  quoted("x".repeat(70_000)),
                  "\"\\ud800\""));
      case Schema.Text _ -> pick(List.of("7", "[]", "{\"a\":1}", "true", "1e400"));
      case Schema.Whole whole ->
          pick(
              List.of(
                  "\"1\"",
                  "1.5",
                  "[]",
                  "true",
                  "-1e999",
                  "9".repeat(400),
                  "-9223372036854775809",
                  whole.least().map(n -> Long.toString(n - 1)).orElse("{}")));
      case Schema.Decimal _ -> pick(List.of("\"1\"", "-1", "1e999", "[]", "{}", "9".repeat(400)));
      case Schema.Flag _ -> pick(List.of("0", "\"true\"", "[]", "{}"));
      case Schema.ListOf _ -> pick(List.of("\"a\"", "{}", "[{}]", "[[]]", "7"));
      case Schema.MapOf _ -> pick(List.of("\"a\"", "[]", "{\"k\":{}}", "7"));
      case Schema.OrNull orNull -> wrong(orNull.schema());
      case Schema.AnyOf _ -> pick(List.of("7.5", "[]", "\"no such choice\"", "{\"policy\":7}"));
      case Schema.Anything _ -> "{\"a\":[1]}";
      case Schema.Shape _ -> pick(List.of("[]", "\"x\"", "7"));
    };
  }

  /** Nonsense of any kind: broken, truncated, nested, or with wrong fields. */
  String nonsense(Schema schema) {
    String whole =
        schema instanceof Schema.Shape shape && !shape.fields().isEmpty()
            ? object(shape, random.nextInt(shape.fields().size()))
            : right(schema);
    return switch (random.nextInt(6)) {
      case 0 -> whole.substring(0, random.nextInt(whole.length()));
      case 1 -> "[".repeat(1 + random.nextInt(5000));
      case 2 -> whole.replace(':', '=');
      case 3 -> whole + whole;
      default -> whole;
    };
  }

  private <T> T pick(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }
}
