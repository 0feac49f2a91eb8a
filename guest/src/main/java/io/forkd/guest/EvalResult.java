package io.forkd.guest;

import java.util.Optional;

/**
 * What a runtime kernel answered to a piece of code.
 *
 * @param result the repr of the last expression, empty for statements and for {@code None}
 * @param error the exception in one line, empty when none was raised
 * @param exitCode 0, or 1 when an exception was raised
 */
public record EvalResult(
    Optional<String> result,
    Optional<String> error,
    Optional<String> traceback,
    String stdout,
    String stderr,
    int exitCode) {}
