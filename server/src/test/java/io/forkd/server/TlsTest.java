package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.server.http.HttpConfig;
import io.forkd.server.http.HttpServer;
import io.forkd.server.http.Json;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class TlsTest {
  @TempDir Path folder;

  private Certificates certificates;
  private Optional<HttpServer> http = Optional.empty();

  @BeforeEach
  void prepare() {
    certificates = new Certificates(folder);
  }

  @AfterEach
  void stop() {
    http.ifPresent(HttpServer::close);
  }

  @ParameterizedTest
  @CsvSource({
    "RSA, TLSv1.3",
    "RSA, TLSv1.2",
    "EC, TLSv1.3",
    "EC, TLSv1.2",
    "Ed25519, TLSv1.3",
    "Ed25519, TLSv1.2"
  })
  void requestsAreEncrypted(String algorithm, String protocol) throws Exception {
    AccessOptions.Tls pair = certificates.make("one", algorithm);
    serve(TlsFiles.open(pair));
    try (SSLSocket socket = connect(pair, protocol)) {
      assertThat(ask(socket)).contains("200 OK");
      assertThat(socket.getSession().getProtocol()).isEqualTo(protocol);
      assertThat(peer(socket)).isEqualTo("CN=one");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"TLSv1", "TLSv1.1"})
  void oldProtocolsAreRefused(String protocol) throws Exception {
    AccessOptions.Tls pair = certificates.make("one", "EC");
    serve(TlsFiles.open(pair));
    assertThatThrownBy(
            () -> {
              try (SSLSocket socket = connect(pair, protocol)) {
                ask(socket);
              }
            })
        .isInstanceOf(IOException.class);
  }

  @Test
  void plainTextIsNotAnswered() throws Exception {
    serve(TlsFiles.open(certificates.make("one", "EC")));
    try (Wire wire = Wire.tcp(port())) {
      wire.request("GET", "/", "");
      assertThatThrownBy(wire::answer).isInstanceOf(Exception.class);
    }
  }

  @Test
  void aNewCertificateIsUsedWithoutDroppingConnections() throws Exception {
    AccessOptions.Tls first = certificates.make("one", "EC");
    AccessOptions.Tls second = certificates.make("two", "RSA");
    TlsFiles files = TlsFiles.open(first);
    serve(files);
    try (SSLSocket old = connect(first, "TLSv1.3")) {
      assertThat(ask(old)).contains("200 OK");
      copy(second, first);
      files.refresh(http.orElseThrow()::replaceTls);
      assertThat(ask(old)).contains("200 OK");
      try (SSLSocket fresh = connect(second, "TLSv1.3")) {
        assertThat(ask(fresh)).contains("200 OK");
        assertThat(peer(fresh)).isEqualTo("CN=two");
      }
    }
  }

  @Test
  void aBrokenPairLeavesTheOldOneInUse() throws Exception {
    AccessOptions.Tls first = certificates.make("one", "EC");
    AccessOptions.Tls second = certificates.make("two", "EC");
    AccessOptions.Tls kept = certificates.make("kept", "EC");
    copy(first, kept);
    TlsFiles files = TlsFiles.open(first);
    serve(files);
    // As when a renewal writes the certificate first.
    Files.copy(second.certificate(), first.certificate(), StandardCopyOption.REPLACE_EXISTING);
    files.refresh(http.orElseThrow()::replaceTls);
    try (SSLSocket socket = connect(kept, "TLSv1.3")) {
      assertThat(peer(socket)).isEqualTo("CN=one");
    }
    Secrets.write(first.key(), Files.readString(second.key()));
    files.refresh(http.orElseThrow()::replaceTls);
    try (SSLSocket socket = connect(second, "TLSv1.3")) {
      assertThat(peer(socket)).isEqualTo("CN=two");
    }
  }

  @Test
  void filesThatStayAsTheyAreAreNotReadAgain() {
    TlsFiles files = TlsFiles.open(certificates.make("one", "EC"));
    assertThatCode(
            () ->
                files.refresh(
                    _ -> {
                      throw new AssertionError("nothing changed");
                    }))
        .doesNotThrowAnyException();
  }

  @Test
  void anExpiredCertificateIsServedAllTheSame() throws Exception {
    AccessOptions.Tls pair =
        certificates.make("old", "EC", "-startdate", "-30d", "-validity", "10");
    serve(TlsFiles.open(pair));
    // Clients that trust the certificate itself do not look at its dates.
    try (SSLSocket socket = connect(pair, "TLSv1.3")) {
      assertThat(ask(socket)).contains("200 OK");
    }
  }

  @Test
  void aKeyOfAnotherCertificateIsRefused() {
    AccessOptions.Tls one = certificates.make("one", "EC");
    AccessOptions.Tls two = certificates.make("two", "EC");
    AccessOptions.Tls rsa = certificates.make("rsa", "RSA");
    refused(new AccessOptions.Tls(one.certificate(), two.key()), "does not belong");
    refused(new AccessOptions.Tls(one.certificate(), rsa.key()), "does not belong");
    refused(new AccessOptions.Tls(rsa.certificate(), one.key()), "does not belong");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "ENCRYPTED PRIVATE KEY|is encrypted|-nocrypt",
        "RSA PRIVATE KEY|older form 'RSA PRIVATE KEY'|openssl pkcs8 -topk8",
        "EC PRIVATE KEY|older form 'EC PRIVATE KEY'|openssl pkcs8 -topk8",
        "CERTIFICATE|holds no private key|BEGIN PRIVATE KEY",
        "PRIVATE KEY|damaged|pair"
      })
  void keysInOtherFormsAreRefusedWithWhatToDo(String label, String what, String next)
      throws IOException {
    AccessOptions.Tls pair = certificates.make("one", "EC");
    Secrets.write(pair.key(), Certificates.pem(label, new byte[] {1, 2, 3}));
    refused(pair, what);
    refused(pair, next);
  }

  @Test
  void anOldEncryptedKeyIsRefusedAsSuch() throws IOException {
    AccessOptions.Tls pair = certificates.make("one", "RSA");
    Secrets.write(
        pair.key(),
        """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-256-CBC,00

        AAAA
        -----END RSA PRIVATE KEY-----
        """);
    refused(pair, "is encrypted");
  }

  @Test
  void aKeyThatOthersMayReadIsRefused() throws IOException {
    AccessOptions.Tls pair = certificates.make("one", "EC");
    Files.setPosixFilePermissions(pair.key(), PosixFilePermissions.fromString("rw-r--r--"));
    refused(pair, "open to other users");
  }

  @Test
  void filesThatAreMissingOrNoCertificatesAreRefused() throws IOException {
    AccessOptions.Tls pair = certificates.make("one", "EC");
    refused(new AccessOptions.Tls(folder.resolve("no"), pair.key()), "Cannot read the certificate");
    refused(
        new AccessOptions.Tls(pair.certificate(), folder.resolve("no")),
        "Cannot read the private key");
    Files.writeString(pair.certificate(), "");
    refused(pair, "holds no certificate");
    Files.writeString(pair.certificate(), "nonsense");
    refused(pair, "certificate");
  }

  private static void refused(AccessOptions.Tls pair, String why) {
    assertThatThrownBy(() -> TlsFiles.open(pair))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining(why);
  }

  private void serve(TlsFiles files) {
    http =
        Optional.of(
            HttpServer.start(
                new HttpConfig(
                    folder.resolve("s"),
                    Optional.empty(),
                    Optional.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0)),
                    Optional.of(files.first()),
                    Duration.ofSeconds(30),
                    Duration.ofSeconds(1)),
                exchange -> exchange.respond(200, Json.object().with("ok", true))));
  }

  private int port() {
    return http.orElseThrow().port().orElseThrow();
  }

  /** A connection that trusts the certificate of a pair alone. */
  private SSLSocket connect(AccessOptions.Tls trusted, String protocol) throws Exception {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setCertificateEntry("it", PemPair.read(trusted).leaf());
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    SSLSocket socket =
        (SSLSocket)
            context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port());
    socket.setEnabledProtocols(new String[] {protocol});
    socket.startHandshake();
    return socket;
  }

  private static String ask(SSLSocket socket) throws IOException {
    socket
        .getOutputStream()
        .write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    BufferedReader in =
        new BufferedReader(
            new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    String status = in.readLine();
    int length = 0;
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      if (line.startsWith("Content-Length: ")) {
        length = Integer.parseInt(line.substring(16));
      }
    }
    for (int i = 0; i < length; i++) {
      in.read();
    }
    return String.valueOf(status);
  }

  private static String peer(SSLSocket socket) throws IOException {
    X509Certificate certificate = (X509Certificate) socket.getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  private static void copy(AccessOptions.Tls from, AccessOptions.Tls to) throws IOException {
    Files.copy(from.certificate(), to.certificate(), StandardCopyOption.REPLACE_EXISTING);
    Secrets.write(to.key(), Files.readString(from.key()));
  }
}
