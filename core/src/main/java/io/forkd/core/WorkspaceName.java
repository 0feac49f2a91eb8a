package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.Tag;
import java.util.regex.Pattern;

/** The checked name of a workspace; its state's tag is made of it. */
public record WorkspaceName(String value) implements Comparable<WorkspaceName> {
  private static final String PREFIX = "ws-";
  private static final String SUFFIX = "-state";
  private static final Pattern FORM = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,53}");

  public WorkspaceName {
    if (!FORM.matcher(value).matches()) {
      throw ForkdException.badRequest(
          "'%s' is no name for a workspace: use up to 54 letters, digits, '.', '_' and '-', not"
              + " beginning with '.' or '-'.",
          Printable.shorten(value));
    }
  }

  public Tag stateTag() {
    return Tag.of(PREFIX + value + SUFFIX);
  }

  static boolean isState(Tag tag) {
    return tag.value().startsWith(PREFIX) && tag.value().endsWith(SUFFIX);
  }

  @Override
  public int compareTo(WorkspaceName other) {
    return value.compareTo(other.value);
  }

  @Override
  public String toString() {
    return value;
  }
}
