package io.forkd.cli;

import io.forkd.base.Printable;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads durations such as {@code 90s}, {@code 15m}, {@code 2h} and {@code 7d}. */
final class DurationConverter implements ITypeConverter<Duration> {
  private static final Pattern FORM = Pattern.compile("([0-9]{1,9})([smhd])");

  @Override
  public Duration convert(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches() || Integer.parseInt(form.group(1)) == 0) {
      throw new TypeConversionException(
          "'%s' is not a duration: use a number above 0 with s, m, h or d, such as 90s, 15m, 2h or 7d"
              .formatted(Printable.shorten(text)));
    }
    long count = Long.parseLong(form.group(1));
    return switch (form.group(2)) {
      case "s" -> Duration.ofSeconds(count);
      case "m" -> Duration.ofMinutes(count);
      case "h" -> Duration.ofHours(count);
      default -> Duration.ofDays(count);
    };
  }
}
