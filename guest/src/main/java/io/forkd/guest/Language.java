package io.forkd.guest;

import java.util.Locale;
import java.util.Optional;
import java.util.stream.Stream;

/** A language that contexts speak. */
public enum Language {
  PYTHON,
  JAVASCRIPT,
  JAVA;

  /** As it is written in requests. */
  public String text() {
    return name().toLowerCase(Locale.ROOT);
  }

  public static Optional<Language> of(String text) {
    return Stream.of(values()).filter(each -> each.text().equals(text)).findFirst();
  }
}
