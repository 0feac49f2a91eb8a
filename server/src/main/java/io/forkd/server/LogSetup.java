package io.forkd.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;

/**
 * Logs to standard output: plain lines, or JSON lines when {@code FORKD_LOG_FORMAT} is {@code
 * json}. {@code FORKD_LOG_LEVEL} sets the level. In code, because reading logback's XML delays the
 * start.
 */
public final class LogSetup extends ContextAwareBase implements Configurator {
  @Override
  public ExecutionStatus configure(LoggerContext context) {
    Encoder<ILoggingEvent> encoder =
        "json".equals(System.getenv("FORKD_LOG_FORMAT")) ? new JsonEncoder() : plain();
    encoder.setContext(context);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.start();
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.WARN);
    context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(appender);
    context
        .getLogger("io.forkd")
        .setLevel(Level.toLevel(System.getenv("FORKD_LOG_LEVEL"), Level.INFO));
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  private static PatternLayoutEncoder plain() {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setPattern("%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}: %msg%n");
    return encoder;
  }
}
