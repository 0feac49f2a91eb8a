package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpServer;
import io.forkd.server.http.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who comes in over the Unix socket, as the kernel tells it. */
@Timeout(60)
class PeerTest {
  private static final long STRANGER = 12_345;

  private Path folder;
  private Path socket;

  @BeforeEach
  void prepare() throws IOException {
    // Not JUnit's folder: another user must be able to reach the socket.
    folder = Files.createTempDirectory("peer");
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
    socket = folder.resolve("s");
  }

  @AfterEach
  void clean() throws IOException {
    Files.deleteIfExists(socket);
    Files.delete(folder);
  }

  @Test
  void theDaemonsOwnUserIsItsAdmin() throws Exception {
    try (HttpServer _ = serve(own());
        Wire wire = Wire.unix(socket)) {
      for (int i = 0; i < 3; i++) {
        wire.request("GET", "/", "");
        assertThat(wire.answer().text())
            .contains("\"uid:%d\"".formatted(own()), "\"admin\"")
            .doesNotContain("owner");
      }
    }
  }

  @Test
  void otherUsersAreUsersOfTheirOwn() throws Exception {
    if (own() == 0) {
      try (HttpServer _ = serve(0)) {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw-rw-"));
        assertThat(askAs(STRANGER))
            .contains("\"name\":\"uid:12345\"", "\"role\":\"user\"", "\"owner\":\"uid:12345\"");
      }
    } else {
      // Without root nobody else can be played, but the daemon can be made somebody else.
      try (HttpServer _ = serve(STRANGER);
          Wire wire = Wire.unix(socket)) {
        wire.request("GET", "/", "");
        assertThat(wire.answer().text())
            .contains("\"role\":\"user\"", "\"owner\":\"uid:%d\"".formatted(own()));
      }
    }
  }

  @Test
  void aKeyCountsMoreThanTheSocket() throws Exception {
    ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
    String key =
        keys.create("low", Role.READ_ONLY, Optional.empty(), Optional.empty()).key().text();
    try (HttpServer _ = serve(own(), keys, Optional.empty());
        Wire wire = Wire.unix(socket)) {
      wire.request("GET", "/", "", "Authorization: Bearer " + key);
      assertThat(wire.answer().text()).contains("\"low\"", "read_only");
      wire.request("GET", "/", "", "Authorization: Bearer " + key + "x");
      assertThat(wire.answer().text()).contains("nobody");
      wire.request("GET", "/", "", "Authorization: Bearer token-of-another-daemon");
      assertThat(wire.answer().text()).contains("admin");
    }
  }

  @Test
  void theSocketIsItsOwnersAloneUnlessAGroupIsNamed() throws Exception {
    try (HttpServer _ = serve(own())) {
      assertThat(permissions()).isEqualTo("rw-------");
    }
    String group = Files.readAttributes(folder, PosixFileAttributes.class).group().getName();
    ApiKeys keys = new ApiKeys(KeyStore.inMemory(), InstantSource.system());
    try (HttpServer _ = serve(own(), keys, Optional.of(group))) {
      assertThat(permissions()).isEqualTo("rw-rw----");
      assertThat(Files.readAttributes(socket, PosixFileAttributes.class).group().getName())
          .isEqualTo(group);
    }
    assertThatThrownBy(() -> serve(own(), keys, Optional.of("no-such-group")))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("there is no group 'no-such-group'");
    assertThat(folder).isEmptyDirectory();
  }

  private HttpServer serve(long ownUser) {
    return serve(
        ownUser, new ApiKeys(KeyStore.inMemory(), InstantSource.system()), Optional.empty());
  }

  private HttpServer serve(long ownUser, ApiKeys keys, Optional<String> group) {
    Principals principals = new Principals(Optional.empty(), keys, Principals.Door.SHUT, ownUser);
    return HttpServer.start(
        new HttpConfig(
            socket,
            group,
            Optional.empty(),
            Optional.empty(),
            Duration.ofSeconds(30),
            Duration.ofSeconds(1)),
        exchange -> answer(principals, exchange));
  }

  private static void answer(Principals principals, Exchange exchange) throws IOException {
    Optional<Principal> caller = principals.of(exchange);
    exchange.respond(
        200,
        Json.object()
            .with("name", caller.map(Principal::name).orElse("nobody"))
            .withOptional("role", caller.map(principal -> principal.role().text()))
            .withOptional("owner", caller.flatMap(Principal::owner)));
  }

  /** Perl belongs to every Debian, and becomes another user without a program of that user's. */
  private String askAs(long user) throws Exception {
    String program =
        """
        use IO::Socket::UNIX;
        my $user = $ARGV[1];
        $( = $) = "$user $user";
        $< = $> = $user;
        die "still $>" if $> != $user;
        my $s = IO::Socket::UNIX->new(Peer => $ARGV[0]) or die $!;
        print $s "GET / HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n";
        print while <$s>;
        """;
    Process process =
        new ProcessBuilder("perl", "-e", program, socket.toString(), Long.toString(user))
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output;
  }

  private String permissions() throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(socket));
  }

  private static long own() throws IOException {
    return (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid");
  }
}
