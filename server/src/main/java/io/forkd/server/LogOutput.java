package io.forkd.server;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import org.jspecify.annotations.Nullable;

/** Standard output as the place of the log; when that is a file, it is kept from growing. */
final class LogOutput extends ConsoleAppender<ILoggingEvent> {
  private final LogLines lines;
  private volatile @Nullable LogTrim trim;

  LogOutput(LogLines lines) {
    this.lines = lines;
    setEncoder(lines);
  }

  void format(LogFormat format) {
    lines.format(format);
  }

  LogFormat format() {
    return lines.format();
  }

  void trim(LogTrim wanted) {
    trim = wanted;
  }

  @Override
  protected void subAppend(ILoggingEvent event) {
    super.subAppend(event);
    LogTrim trimmer = trim;
    if (trimmer != null && trimmer.isDue()) {
      // No line is written between the copy and the cut, so none is lost.
      streamWriteLock.lock();
      try {
        trimmer.run();
      } finally {
        streamWriteLock.unlock();
      }
    }
  }
}
