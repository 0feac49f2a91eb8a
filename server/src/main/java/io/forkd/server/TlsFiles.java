package io.forkd.server;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate that TCP is encrypted with, as its files hold it now. New files that do not fit
 * leave the old pair in use.
 */
final class TlsFiles {
  /** How soon a new certificate is noticed. */
  static final Duration EVERY = Duration.ofSeconds(3);

  private static final Logger log = LoggerFactory.getLogger(TlsFiles.class);
  private static final Duration SOON = Duration.ofDays(14);

  private final AccessOptions.Tls files;
  private final SSLContext first;
  private List<SecretFile.Stamp> seen;

  /** Ends the looking. */
  interface Watch extends AutoCloseable {
    @Override
    void close();
  }

  private TlsFiles(AccessOptions.Tls files, List<SecretFile.Stamp> seen, SSLContext first) {
    this.files = files;
    this.seen = seen;
    this.first = first;
  }

  /** Refuses files that are unfit from the beginning. */
  static TlsFiles open(AccessOptions.Tls files) {
    // The stamps come first: what is written after them makes the files read again.
    List<SecretFile.Stamp> stamps = stamps(files);
    return new TlsFiles(files, stamps, load(files));
  }

  SSLContext first() {
    return first;
  }

  /** Looks at the files again, and hands on what they hold if that is new and fits. */
  synchronized void refresh(Consumer<SSLContext> use) {
    List<SecretFile.Stamp> now = stamps(files);
    if (now.equals(seen)) {
      return;
    }
    seen = now;
    try {
      use.accept(load(files));
      log.info("New connections use the new certificate in {}", files.certificate());
    } catch (RuntimeException e) {
      log.error("The TLS certificate in use stays, the new one is unfit: {}", e.getMessage());
    }
  }

  /** Looks every few seconds, on a thread of its own, until it is closed. */
  Watch watch(Consumer<SSLContext> use) {
    Thread thread = Thread.ofVirtual().name("tls").start(() -> look(use));
    return thread::interrupt;
  }

  private void look(Consumer<SSLContext> use) {
    try {
      while (true) {
        Thread.sleep(EVERY);
        refresh(use);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SSLContext load(AccessOptions.Tls files) {
    PemPair pair = PemPair.read(files);
    Instant end = pair.leaf().getNotAfter().toInstant();
    Instant begin = pair.leaf().getNotBefore().toInstant();
    Instant now = Instant.now();
    if (now.isAfter(end)) {
      log.warn("The certificate {} expired at {}: clients refuse it", files.certificate(), end);
    } else if (now.isBefore(begin)) {
      log.warn("The certificate {} is valid from {} only", files.certificate(), begin);
    } else if (now.plus(SOON).isAfter(end)) {
      log.warn("The certificate {} expires at {}: renew it", files.certificate(), end);
    }
    return pair.context();
  }

  private static List<SecretFile.Stamp> stamps(AccessOptions.Tls files) {
    return List.of(
        new SecretFile(files.certificate()).stamp(), new SecretFile(files.key()).stamp());
  }
}
