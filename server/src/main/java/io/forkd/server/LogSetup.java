package io.forkd.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs to standard output: lines of text, or of JSON when {@code FORKD_LOG_FORMAT} is {@code json}.
 * {@code FORKD_LOG_LEVEL} sets the level. In code, because reading logback's XML delays the start.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
  private static final String APPENDER = "output";

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    boolean json = "json".equals(System.getenv("FORKD_LOG_FORMAT"));
    LogLines lines = new LogLines(json ? LogFormat.JSON : LogFormat.TEXT);
    lines.setContext(context);
    lines.start();
    LogOutput output = new LogOutput(lines);
    output.setName(APPENDER);
    output.setContext(context);
    output.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(output);
    context
        .getLogger("io.forkd")
        .setLevel(Level.toLevel(System.getenv("FORKD_LOG_LEVEL"), Level.INFO));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Changes what was set up before the daemon knew its options.
   *
   * @param log where standard output goes when {@code forkd} started the daemon
   * @return the format that is in force now
   */
  static LogFormat adjust(Optional<LogFormat> format, Path log) {
    return output().map(output -> adjust(output, format, log)).orElse(LogFormat.TEXT);
  }

  private static LogFormat adjust(LogOutput output, Optional<LogFormat> format, Path log) {
    format.ifPresent(output::format);
    LogTrim.ofStandardOutput(log).ifPresent(output::trim);
    return output.format();
  }

  private static Optional<LogOutput> output() {
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    return factory instanceof LoggerContext context
            && context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender(APPENDER)
                instanceof LogOutput output
        ? Optional.of(output)
        : Optional.empty();
  }
}
