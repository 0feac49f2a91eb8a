package io.forkd.cli;

import io.forkd.base.Printable;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A limit as it is said on the command line.
 *
 * @param most empty for {@code none}: what the daemon gives to who says nothing
 */
record Limit<T>(Optional<T> most) {
  static final String NONE = "none";

  private static <T> Limit<T> of(String text, Function<String, T> reading) {
    return new Limit<>(text.equals(NONE) ? Optional.empty() : Optional.of(reading.apply(text)));
  }

  /** The same limit in other units. */
  <U> Limit<U> in(Function<T, U> units) {
    return new Limit<>(most.map(units));
  }

  /** Applies one change for a limit, another for none. */
  <S> S change(S before, BiFunction<S, T, S> set, Function<S, S> lift) {
    return most.map(value -> set.apply(before, value)).orElseGet(() -> lift.apply(before));
  }

  private static TypeConversionException noNumber(String text) {
    return new TypeConversionException(
        "'%s' is no number: use one such as 2, or none".formatted(Printable.shorten(text)));
  }

  /** Reads processors. */
  static final class OfCpus implements ITypeConverter<Limit<Double>> {
    @Override
    public Limit<Double> convert(String text) {
      try {
        return of(text, Double::valueOf);
      } catch (NumberFormatException e) {
        throw noNumber(text);
      }
    }
  }

  /** Reads a count. */
  static final class OfCount implements ITypeConverter<Limit<Integer>> {
    @Override
    public Limit<Integer> convert(String text) {
      try {
        return of(text, Integer::valueOf);
      } catch (NumberFormatException e) {
        throw noNumber(text);
      }
    }
  }

  /** Reads bytes. */
  static final class OfBytes implements ITypeConverter<Limit<Long>> {
    @Override
    public Limit<Long> convert(String text) {
      return of(text, new SizeConverter()::convert);
    }
  }

  /** Reads memory, of which a bare number is MiB. */
  static final class OfMemory implements ITypeConverter<Limit<Long>> {
    @Override
    public Limit<Long> convert(String text) {
      return of(text, new SizeConverter.OfMemory()::convert);
    }
  }
}
