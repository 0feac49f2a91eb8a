package io.forkd.cli;

import io.forkd.base.Printable;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Reads sizes in bytes such as {@code 500K}, {@code 64M} and {@code 2G}; a bare number is bytes.
 */
class SizeConverter implements ITypeConverter<Long> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([KMG]?)");

  /**
   * Reads sizes in which a bare number is MiB, as memory is asked for: {@code 512} or {@code 2G}.
   */
  static final class OfMemory extends SizeConverter {
    @Override
    public Long convert(String text) {
      return super.convert(text.matches("[0-9]+") ? text + "M" : text);
    }
  }

  @Override
  public Long convert(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches() || Long.parseLong(form.group(1)) == 0) {
      throw new TypeConversionException(
          "'%s' is no size: use a number above 0, perhaps with K, M or G, such as 512M or 2G"
              .formatted(Printable.shorten(text)));
    }
    int shift =
        switch (form.group(2)) {
          case "K" -> 10;
          case "M" -> 20;
          case "G" -> 30;
          default -> 0;
        };
    return Long.parseLong(form.group(1)) << shift;
  }
}
