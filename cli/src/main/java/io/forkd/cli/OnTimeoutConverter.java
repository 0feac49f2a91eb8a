package io.forkd.cli;

import io.forkd.base.Printable;
import io.forkd.client.OnTimeout;
import java.util.Arrays;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code kill} and {@code pause}. */
final class OnTimeoutConverter implements ITypeConverter<OnTimeout> {
  @Override
  public OnTimeout convert(String text) {
    return Arrays.stream(OnTimeout.values())
        .filter(choice -> choice.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () ->
                new TypeConversionException(
                    "'%s' cannot happen then: use kill or pause"
                        .formatted(Printable.shorten(text))));
  }
}
