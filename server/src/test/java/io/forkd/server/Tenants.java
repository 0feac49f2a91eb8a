package io.forkd.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.slf4j.LoggerFactory;

/**
 * A guarded server on which alice has a sandbox, a snapshot, a workspace and an ended sandbox, and
 * which others with keys of all roles share. It remembers all that is logged.
 */
final class Tenants implements AutoCloseable {
  final TestServer server;
  final ApiKeys keys;
  final String admin;
  final String operator;
  final String alice;
  final String bob;
  final String reader;
  final String aliceReader;
  final String revoked;
  final String expired;
  final String sandbox;
  final String ended;
  final List<String> logged = Collections.synchronizedList(new ArrayList<>());
  private final List<String> secrets = new ArrayList<>();
  private final Appender appender = new Appender();
  private Instant now = Instant.parse("2030-01-01T00:00:00Z");

  Tenants() throws IOException {
    Path file = Secrets.write(Files.createTempFile("token", ""), TestServer.TOKEN);
    InstantSource clock = () -> now;
    keys = new ApiKeys(KeyStore.inMemory(), clock);
    server =
        TestServer.with(
            new Access(
                Optional.of(TokenFile.open(file)),
                keys,
                Principals.Door.LOCAL,
                new Throttle.Limits(0, 1, 1)));
    server.tokenFile = Optional.of(file);
    listen();
    expired = key("expired", Role.ADMIN, Optional.empty(), Optional.of(Duration.ofMinutes(1)));
    now = now.plus(Duration.ofMinutes(2));
    admin = key("boss", Role.ADMIN, Optional.empty(), Optional.empty());
    operator = key("ops", Role.OPERATOR, Optional.empty(), Optional.empty());
    alice = key("alice", Role.USER, Optional.empty(), Optional.empty());
    bob = key("bob", Role.USER, Optional.of("bob"), Optional.empty());
    reader = key("reader", Role.READ_ONLY, Optional.empty(), Optional.empty());
    aliceReader = key("alice-ro", Role.READ_ONLY, Optional.of("alice"), Optional.empty());
    revoked = key("revoked", Role.ADMIN, Optional.empty(), Optional.empty());
    keys.revoke(ApiKey.parse(revoked).orElseThrow().id());
    ended = fork();
    call(alice, "DELETE", "/v1/sandboxes/" + ended, "");
    sandbox = fork();
    call(alice, "POST", "/v1/sandboxes/" + sandbox + "/branch", "{\"tag\":\"alices-own\"}");
    call(alice, "POST", "/v1/workspaces", "{\"name\":\"alices-space\",\"snapshot_tag\":\"base\"}");
  }

  private String key(String name, Role role, Optional<String> owner, Optional<Duration> life) {
    ApiKeys.Created created = keys.create(name, role, owner, life);
    secrets.add(created.key().text().substring(20));
    secrets.add(created.key().hexText().substring(20));
    return created.key().text();
  }

  private String fork() throws IOException {
    return call(alice, "POST", "/v1/sandboxes", "{\"snapshot_tag\":\"base\"}")
        .json()
        .path(0)
        .path("id")
        .asString();
  }

  String keyOf(Role role) {
    return switch (role) {
      case ADMIN -> admin;
      case OPERATOR -> operator;
      case USER -> alice;
      case READ_ONLY -> reader;
    };
  }

  /** Sends a request with a key; of a stream, only the head of the answer is awaited. */
  Answer call(String key, String method, String path, String body, String... headers)
      throws IOException {
    String[] all = java.util.Arrays.copyOf(headers, headers.length + 1);
    all[headers.length] = "Authorization: Bearer " + key;
    return raw(method, path, body, all);
  }

  Answer raw(String method, String path, String body, String... headers) throws IOException {
    try (Wire wire = server.tcp()) {
      wire.request(method, path, body, headers);
      return wire.answerUnlessStream();
    }
  }

  /** All that must not be told to anybody who does not know it. */
  List<String> secrets() {
    List<String> all = new ArrayList<>(secrets);
    all.add(TestServer.TOKEN);
    return all;
  }

  private void listen() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    appender.setContext(context);
    appender.start();
    context.getLogger("ROOT").addAppender(appender);
    context.getLogger("io.forkd").setLevel(Level.DEBUG);
  }

  @Override
  public void close() throws IOException {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.getLogger("ROOT").detachAppender(appender);
    context.getLogger("io.forkd").setLevel(Level.INFO);
    server.close();
  }

  private final class Appender extends AppenderBase<ILoggingEvent> {
    @Override
    protected void append(ILoggingEvent event) {
      logged.add(event.getFormattedMessage());
    }
  }
}
