package io.forkd.server;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the daemon was told. Its command line comes before its environment, and that before its
 * config file.
 */
final class DaemonSettings {
  static final String HINT = "`forkd-daemon --help` and docs/api.md list the options.";

  /**
   * One option's value.
   *
   * @param where it was told, for messages
   */
  record Told(String text, String where) {}

  private final Map<DaemonOption, Told> told;

  private DaemonSettings(Map<DaemonOption, Told> told) {
    this.told = told;
  }

  /**
   * Gathers what is told.
   *
   * @param usualConfig the config file that is read when none is named and this one exists
   */
  static DaemonSettings read(List<String> args, Map<String, String> env, Path usualConfig) {
    Map<DaemonOption, Told> told = ofArguments(args);
    ofEnvironment(env).forEach(told::putIfAbsent);
    Optional<Path> named = new DaemonSettings(told).path(DaemonOption.CONFIG);
    named
        .or(() -> Optional.of(usualConfig).filter(Files::exists))
        .ifPresent(file -> ConfigFile.read(file).forEach(told::putIfAbsent));
    return new DaemonSettings(told);
  }

  private static Map<DaemonOption, Told> ofArguments(List<String> args) {
    Map<DaemonOption, Told> told = new EnumMap<>(DaemonOption.class);
    for (Iterator<String> words = args.iterator(); words.hasNext(); ) {
      String word = words.next();
      int equals = word.startsWith("--") ? word.indexOf('=') : -1;
      String name = equals < 0 ? word : word.substring(0, equals);
      DaemonOption option =
          DaemonOption.ofFlag(name)
              .orElseThrow(
                  () ->
                      ForkdException.badRequest(
                          "Unknown option %s. %s", Printable.shorten(name), HINT));
      String value = equals < 0 ? value(option, words) : word.substring(equals + 1);
      if (told.put(option, new Told(value, "the command line")) != null) {
        throw ForkdException.badRequest("%s is given twice. %s", name, HINT);
      }
    }
    told.forEach((option, value) -> requireText(option, value.text()));
    return told;
  }

  private static String value(DaemonOption option, Iterator<String> words) {
    return option.takesValue() ? words.hasNext() ? words.next() : "" : "true";
  }

  private static void requireText(DaemonOption option, String text) {
    if (text.isEmpty()) {
      throw ForkdException.badRequest("%s needs a value. %s", option.flag(), HINT);
    }
  }

  /** An empty variable counts as one that is not set. */
  private static Map<DaemonOption, Told> ofEnvironment(Map<String, String> env) {
    Map<DaemonOption, Told> told = new EnumMap<>(DaemonOption.class);
    env.forEach(
        (variable, value) -> {
          if (variable.startsWith(DaemonOption.PREFIX) && !value.isEmpty()) {
            told.put(ofVariable(variable), new Told(value, "the environment's " + variable));
          }
        });
    return told;
  }

  private static DaemonOption ofVariable(String variable) {
    return Arrays.stream(DaemonOption.values())
        .filter(option -> option.variable().equals(variable))
        .findFirst()
        .orElseThrow(
            () ->
                ForkdException.badRequest(
                    "The environment's %s is no option. %s", Printable.shorten(variable), HINT));
  }

  Optional<String> text(DaemonOption option) {
    return Optional.ofNullable(told.get(option)).map(Told::text);
  }

  Optional<Path> path(DaemonOption option) {
    return text(option).map(text -> Path.of(text).toAbsolutePath().normalize());
  }

  boolean flag(DaemonOption option) {
    return Optional.ofNullable(told.get(option)).map(value -> flag(option, value)).orElse(false);
  }

  private static boolean flag(DaemonOption option, Told value) {
    return switch (value.text()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refusal(option, value, "true or false");
    };
  }

  /** One of an enum's constants, in the words of {@link Shapes#word}. */
  <E extends Enum<E>> Optional<E> oneOf(DaemonOption option, Class<E> type) {
    return Optional.ofNullable(told.get(option)).map(value -> constant(option, value, type));
  }

  private static <E extends Enum<E>> E constant(DaemonOption option, Told value, Class<E> type) {
    List<E> constants = List.of(type.getEnumConstants());
    return constants.stream()
        .filter(constant -> Shapes.word(constant).equals(value.text()))
        .findFirst()
        .orElseThrow(
            () ->
                refusal(
                    option,
                    value,
                    String.join(" or ", constants.stream().map(Shapes::word).toList())));
  }

  Optional<Integer> integer(DaemonOption option, int least, int most) {
    return number(option, least, most).map(number -> exact(option, number).intValueExact());
  }

  Optional<Long> count(DaemonOption option, long least, long most) {
    return number(option, least, most).map(number -> exact(option, number).longValueExact());
  }

  Optional<Double> decimal(DaemonOption option, double least, double most) {
    return number(option, least, most).map(BigDecimal::doubleValue);
  }

  private Optional<BigDecimal> number(DaemonOption option, Number least, Number most) {
    return Optional.ofNullable(told.get(option))
        .map(
            value -> {
              String range = "a number from %s to %s".formatted(least, most);
              BigDecimal number = parse(option, value, range);
              if (number.compareTo(new BigDecimal(least.toString())) < 0
                  || number.compareTo(new BigDecimal(most.toString())) > 0) {
                throw refusal(option, value, range);
              }
              return number;
            });
  }

  private static BigDecimal parse(DaemonOption option, Told value, String range) {
    try {
      // The length first: a number of many digits takes long to read.
      return new BigDecimal(value.text().length() > 32 ? "" : value.text());
    } catch (NumberFormatException e) {
      throw refusal(option, value, range);
    }
  }

  private static BigDecimal exact(DaemonOption option, BigDecimal number) {
    if (number.stripTrailingZeros().scale() > 0) {
      throw ForkdException.badRequest(
          "%s is %s: use a whole number.", option.flag(), number.toPlainString());
    }
    return number;
  }

  private static ForkdException refusal(DaemonOption option, Told value, String expected) {
    return ForkdException.badRequest(
        "%s is '%s' (from %s): use %s.",
        option.flag(), Printable.shorten(value.text()), value.where(), expected);
  }
}
