package io.forkd.server;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import io.forkd.server.http.Json;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/** Writes log events as lines. By hand, because patterns take time to be parsed at start. */
final class LogLines extends EncoderBase<ILoggingEvent> {
  private static final byte[] NOTHING = new byte[0];
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX").withZone(ZoneId.systemDefault());

  private volatile LogFormat format;

  LogLines(LogFormat format) {
    this.format = format;
  }

  void format(LogFormat wanted) {
    format = wanted;
  }

  LogFormat format() {
    return format;
  }

  @Override
  public byte[] headerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] footerBytes() {
    return NOTHING;
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    String line =
        switch (format) {
          case TEXT -> text(event);
          case JSON -> json(event);
        };
    return line.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(ILoggingEvent event) {
    String name = event.getLoggerName();
    return "%s %-5s %s: %s%s%n%s"
        .formatted(
            TIME.format(time(event)),
            event.getLevel(),
            name.substring(name.lastIndexOf('.') + 1),
            event.getFormattedMessage(),
            request(event).map(id -> " [" + id + "]").orElse(""),
            trace(event).orElse(""));
  }

  private static String json(ILoggingEvent event) {
    return new String(
            Json.bytes(
                Json.object()
                    .with("time", time(event))
                    .with("level", event.getLevel())
                    .with("logger", event.getLoggerName())
                    .with("message", String.valueOf(event.getFormattedMessage()))
                    .withOptional(RequestId.LOG_KEY, request(event))
                    .withOptional("trace", trace(event))),
            StandardCharsets.UTF_8)
        + "\n";
  }

  private static Instant time(ILoggingEvent event) {
    return Instant.ofEpochMilli(event.getTimeStamp());
  }

  private static Optional<String> request(ILoggingEvent event) {
    return Optional.ofNullable(event.getMDCPropertyMap().get(RequestId.LOG_KEY));
  }

  private static Optional<String> trace(ILoggingEvent event) {
    IThrowableProxy thrown = event.getThrowableProxy();
    return Optional.ofNullable(thrown).map(ThrowableProxyUtil::asString);
  }
}
