package io.forkd.base;

import static java.util.Objects.requireNonNull;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import org.jspecify.annotations.Nullable;

/** A failure with a code a caller can act on and a message that says what to do next. */
public class ForkdException extends RuntimeException {
  private final ErrorCode code;

  public ForkdException(ErrorCode code, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = requireNonNull(code, "code is null");
  }

  public ForkdException(ErrorCode code, String message) {
    this(code, message, null);
  }

  public ErrorCode code() {
    return code;
  }

  @FormatMethod
  public static ForkdException badRequest(@FormatString String format, @Nullable Object... args) {
    return new ForkdException(ErrorCode.BAD_REQUEST, format.formatted(args));
  }

  @FormatMethod
  public static ForkdException notFound(@FormatString String format, @Nullable Object... args) {
    return new ForkdException(ErrorCode.NOT_FOUND, format.formatted(args));
  }

  @FormatMethod
  public static ForkdException conflict(@FormatString String format, @Nullable Object... args) {
    return new ForkdException(ErrorCode.CONFLICT, format.formatted(args));
  }
}
