package io.forkd.base;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;
import java.util.regex.Pattern;

/** The name of a snapshot: validated, so that a path may be derived from it. */
public record Tag(@JsonValue String value) implements Comparable<Tag> {
  private static final Pattern VALID = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,63}");

  @JsonCreator
  public Tag {
    if (!isValid(value)) {
      throw ForkdException.badRequest(
          "'%s' is not a tag: use 1 to 64 of A-Z a-z 0-9 . _ - and start with a letter, a digit or _.",
          Printable.shorten(value));
    }
  }

  public static boolean isValid(String value) {
    return VALID.matcher(value).matches();
  }

  public static Tag of(String value) {
    return new Tag(value);
  }

  @Override
  public int compareTo(Tag other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
