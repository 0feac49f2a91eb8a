package io.forkd.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class TlsClientTest {
  private static final String PASSWORD = "changeit";

  @TempDir Path folder;

  private HttpsServer server;
  private Path caFile;

  @BeforeEach
  void start() throws Exception {
    KeyStore store = keys();
    caFile = folder.resolve("ca.pem");
    String certificate =
        Base64.getMimeEncoder().encodeToString(store.getCertificate("forkd").getEncoded());
    Files.writeString(
        caFile,
        "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n".formatted(certificate));
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(store, PASSWORD.toCharArray());
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(managers.getKeyManagers(), null, null);
    server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(context));
    server.createContext(
        "/",
        exchange -> {
          byte[] body = "{\"name\":\"ci\",\"role\":\"user\",\"owner\":\"team\"}".getBytes(UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void anAuthorityOfOnesOwnIsTrusted() {
    try (ForkdClient client = ForkdClient.connect(endpoint(Optional.of(caFile)))) {
      assertThat(client.whoAmI()).isEqualTo(new CallerInfo("ci", "user", Optional.of("team")));
    }
  }

  @Test
  void anUnknownAuthorityIsNot() {
    try (ForkdClient client = ForkdClient.connect(endpoint(Optional.empty()))) {
      assertThatThrownBy(client::whoAmI).isInstanceOf(ForkdClientException.class);
    }
  }

  @Test
  void aFileWithoutAuthoritiesIsRefused() throws Exception {
    Path empty = Files.writeString(folder.resolve("empty"), "");
    for (Path file : new Path[] {empty, folder.resolve("missing")}) {
      assertThatThrownBy(() -> ForkdClient.connect(endpoint(Optional.of(file))))
          .isInstanceOf(ForkdClientException.class)
          .hasMessageContaining("Cannot use the CA file " + file)
          .hasMessageContaining("Next:");
    }
  }

  private Endpoint endpoint(Optional<Path> authorities) {
    return Endpoint.parse(
        "https://127.0.0.1:" + server.getAddress().getPort(), Optional.of("secret"), authorities);
  }

  private KeyStore keys() throws Exception {
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
                "CN=forkd",
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes(), UTF_8);
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD.toCharArray());
    }
    return store;
  }
}
