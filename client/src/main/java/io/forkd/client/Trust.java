package io.forkd.client;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The authorities whose word a client takes for who a daemon is. */
final class Trust {
  private Trust() {}

  /** Those in a PEM file, and no others. */
  static SSLContext only(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      KeyStore authorities = KeyStore.getInstance("PKCS12");
      authorities.load(null, null);
      int count = 0;
      for (Certificate authority :
          CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        authorities.setCertificateEntry("ca" + count++, authority);
      }
      if (count == 0) {
        throw new IOException("it holds no certificate");
      }
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(authorities);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new ForkdClientException(
          400,
          "Cannot use the CA file %s (%s). Next: give the PEM file of the authority that signed the daemon's certificate."
              .formatted(file, e.getMessage()),
          e);
    }
  }
}
