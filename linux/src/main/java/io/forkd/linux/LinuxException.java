package io.forkd.linux;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/** A kernel or libc call that failed: which one, with which arguments, and why. */
public final class LinuxException extends RuntimeException {
  private final String call;
  private final transient List<String> arguments;
  private final int errnoNumber;

  private final String message;

  LinuxException(String call, List<String> arguments, int errnoNumber) {
    this.call = call;
    this.arguments = List.copyOf(arguments);
    this.errnoNumber = errnoNumber;
    this.message =
        "%s(%s) failed: %s".formatted(call, String.join(", ", arguments), describe(errnoNumber));
  }

  static LinuxException of(String call, Errno errno, Object... arguments) {
    return new LinuxException(call, texts(arguments), errno.number());
  }

  static List<String> texts(Object... arguments) {
    return Arrays.stream(arguments).map(Objects::toString).toList();
  }

  private static String describe(int number) {
    Errno errno = Errno.of(number);
    return errno == Errno.UNKNOWN ? "errno " + number : errno.name();
  }

  @Override
  public String getMessage() {
    return message;
  }

  /** The C function or system call, such as {@code pidfd_open}. */
  public String call() {
    return call;
  }

  /** Its arguments as text; memory is shown by size, never by address. */
  public List<String> arguments() {
    return arguments;
  }

  public Errno errno() {
    return Errno.of(errnoNumber);
  }

  public int errnoNumber() {
    return errnoNumber;
  }
}
