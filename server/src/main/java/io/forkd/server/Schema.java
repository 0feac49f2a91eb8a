package io.forkd.server;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** The values that a part of a request or an answer may have: what the API needs of JSON Schema. */
sealed interface Schema {
  /**
   * A string.
   *
   * @param pattern a regular expression for all of it
   * @param values the only ones there are, when there are only so many
   */
  record Text(Optional<String> pattern, List<String> values, Optional<Integer> longest)
      implements Schema {
    public Text {
      values = List.copyOf(values);
    }
  }

  /** A whole number. */
  record Whole(Optional<Long> least, Optional<Long> most) implements Schema {}

  /** A number, with or without a fraction. */
  record Decimal(Optional<Double> least, Optional<Double> most) implements Schema {}

  /** True or false. */
  record Flag() implements Schema {}

  /** An array. */
  record ListOf(Schema items, int fewest) implements Schema {}

  /** An object whose field names are data. */
  record MapOf(Schema values) implements Schema {}

  /** The schema or {@code null}. */
  record OrNull(Schema schema) implements Schema {}

  /** What fits any of several schemas. */
  record AnyOf(List<Schema> choices) implements Schema {
    public AnyOf {
      choices = List.copyOf(choices);
    }
  }

  /** Any JSON value. */
  record Anything() implements Schema {}

  /**
   * An object of known fields.
   *
   * @param name what the API's document calls it, when it is worth a name; no two shapes share one
   */
  record Shape(Optional<String> name, List<Field> fields) implements Schema {
    public Shape {
      fields = List.copyOf(fields);
    }

    Shape with(String field, Schema schema) {
      return plus(new Field(field, schema, true, ""));
    }

    Shape with(String field, Schema schema, String about) {
      return plus(new Field(field, schema, true, about));
    }

    Shape optional(String field, Schema schema) {
      return plus(new Field(field, schema, false, ""));
    }

    Shape optional(String field, Schema schema, String about) {
      return plus(new Field(field, schema, false, about));
    }

    /** Another shape that has all fields of this one. */
    Shape extended(String newName) {
      return new Shape(Optional.of(newName), fields);
    }

    /** This shape with all fields of another one too. */
    Shape withAll(Shape other) {
      List<Field> all = new ArrayList<>(fields);
      all.addAll(other.fields);
      return new Shape(name, all);
    }

    private Shape plus(Field field) {
      List<Field> more = new ArrayList<>(fields);
      more.add(field);
      return new Shape(name, more);
    }
  }

  /**
   * One field of a shape.
   *
   * @param about what it means, when its name does not say; may be empty
   */
  record Field(String name, Schema schema, boolean required, String about) {}

  static Text text() {
    return new Text(Optional.empty(), List.of(), Optional.empty());
  }

  static Text text(int longest) {
    return new Text(Optional.empty(), List.of(), Optional.of(longest));
  }

  static Text matching(String pattern) {
    return new Text(Optional.of(pattern), List.of(), Optional.empty());
  }

  static Text oneOf(String... values) {
    return new Text(Optional.empty(), List.of(values), Optional.empty());
  }

  /** An enum's constants as the wire spells them. */
  static Text oneOf(Class<? extends Enum<?>> type) {
    return oneOf(
        Arrays.stream(type.getEnumConstants()).map(Shapes::word).toList().toArray(String[]::new));
  }

  static Whole whole() {
    return new Whole(Optional.empty(), Optional.empty());
  }

  static Whole whole(long least) {
    return new Whole(Optional.of(least), Optional.empty());
  }

  static Whole whole(long least, long most) {
    return new Whole(Optional.of(least), Optional.of(most));
  }

  static Decimal decimal() {
    return new Decimal(Optional.empty(), Optional.empty());
  }

  static Decimal decimal(double least) {
    return new Decimal(Optional.of(least), Optional.empty());
  }

  static Decimal decimal(double least, double most) {
    return new Decimal(Optional.of(least), Optional.of(most));
  }

  static Flag flag() {
    return new Flag();
  }

  static ListOf listOf(Schema items) {
    return new ListOf(items, 0);
  }

  static ListOf someOf(Schema items) {
    return new ListOf(items, 1);
  }

  static MapOf mapOf(Schema values) {
    return new MapOf(values);
  }

  static OrNull orNull(Schema schema) {
    return new OrNull(schema);
  }

  static AnyOf anyOf(Schema... choices) {
    return new AnyOf(List.of(choices));
  }

  static Anything anything() {
    return new Anything();
  }

  /** An object without a name of its own. */
  static Shape shape() {
    return new Shape(Optional.empty(), List.of());
  }

  static Shape shape(String name) {
    return new Shape(Optional.of(name), List.of());
  }
}
