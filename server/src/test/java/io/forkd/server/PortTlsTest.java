package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tunnels through a door that is encrypted. */
@Timeout(120)
class PortTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir static Path folder;
  private static SSLContext tls;
  private static PortServer server;

  @BeforeAll
  static void start() throws Exception {
    tls = context(keys());
    server = new PortServer(PortServer.PATIENT, Duration.ofSeconds(30), Optional.of(tls));
  }

  @AfterAll
  static void stop() throws Exception {
    server.close();
  }

  @Test
  void aTcpConnectionCarriesBytesBothWaysAndEachWayEndsByItself() throws Exception {
    byte[] all = new byte[3_000_000];
    new Random(5).nextBytes(all);
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  byte[] got = socket.getInputStream().readAllBytes();
                  socket.getOutputStream().write(got);
                });
        SSLSocket client =
            (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", server.port)) {
      client
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: forkd-tcp\r\n\r\n"
                  .formatted(server.path(guest.port(), ""))
                  .getBytes(UTF_8));
      assertThat(head(client.getInputStream())).startsWith("HTTP/1.1 101 ");
      client.getOutputStream().write(all);
      client.shutdownOutput();
      assertThat(client.getInputStream().readAllBytes()).isEqualTo(all);
    }
    server.awaitNoneOpen();
  }

  @Test
  void aWebSocketClientTalksToAGuest() throws Exception {
    try (GuestProgram guest = new GuestProgram(WebSocketEcho::serve);
        HttpClient http = HttpClient.newBuilder().sslContext(tls).build()) {
      CompletableFuture<String> heard = new CompletableFuture<>();
      WebSocket socket =
          http.newWebSocketBuilder()
              .buildAsync(
                  URI.create(
                      "wss://127.0.0.1:%d%s"
                          .formatted(server.port, server.path(guest.port(), "/"))),
                  new WebSocket.Listener() {
                    @Override
                    public CompletionStage<?> onText(
                        WebSocket ws, CharSequence text, boolean last) {
                      heard.complete(text.toString());
                      return CompletableFuture.completedStage(null);
                    }
                  })
              .get(30, TimeUnit.SECONDS);
      socket.sendText("hello", true).get(30, TimeUnit.SECONDS);
      assertThat(heard.get(30, TimeUnit.SECONDS)).isEqualTo("hello");
      socket.abort();
    }
    server.awaitNoneOpen();
  }

  @Test
  void theGuestHearsThatItWasEncrypted() throws Exception {
    CompletableFuture<String> asked = new CompletableFuture<>();
    try (GuestProgram guest =
            new GuestProgram(
                socket -> {
                  asked.complete(GuestProgram.head(socket));
                  GuestProgram.reply(socket, "hi");
                });
        SSLSocket client =
            (SSLSocket) tls.getSocketFactory().createSocket("127.0.0.1", server.port)) {
      client
          .getOutputStream()
          .write(
              "GET %s HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
                  .formatted(server.path(guest.port(), "/"))
                  .getBytes(UTF_8));
      assertThat(head(client.getInputStream())).startsWith("HTTP/1.1 200 ");
      assertThat(asked.get()).contains("X-Forwarded-Proto: https\r\n");
    }
  }

  private static String head(InputStream in) throws Exception {
    StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      int next = in.read();
      assertThat(next).as(head.toString()).isNotNegative();
      head.append((char) next);
    }
    return head.toString();
  }

  private static KeyStore keys() throws Exception {
    Path file = folder.resolve("keys.p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "forkd",
                "-keyalg",
                "EC",
                "-dname",
                "CN=127.0.0.1",
                "-ext",
                "SAN=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("keytool.out").toFile())
            .start();
    assertThat(keytool.waitFor()).as(Files.readString(folder.resolve("keytool.out"))).isZero();
    return KeyStore.getInstance(file.toFile(), PASSWORD);
  }

  /** Shows the certificate, and trusts it. */
  private static SSLContext context(KeyStore keys) throws Exception {
    KeyManagerFactory shown =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    shown.init(keys, PASSWORD);
    TrustManagerFactory trusted =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    KeyStore authorities = KeyStore.getInstance("PKCS12");
    authorities.load(null, null);
    authorities.setCertificateEntry("forkd", keys.getCertificate("forkd"));
    trusted.init(authorities);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(shown.getKeyManagers(), trusted.getTrustManagers(), null);
    return context;
  }
}
