package io.forkd.server;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * A certificate chain, leaf first, and the private key that belongs to it.
 *
 * <p>Keys are read in PKCS#8 only; what the other forms need to become so is said.
 */
record PemPair(List<X509Certificate> chain, PrivateKey key) {
  private static final int LARGEST_CHAIN = 256 * 1024;
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");
  private static final Pattern KEY_LABEL = Pattern.compile("([A-Z0-9 ]+ )?PRIVATE KEY");
  private static final byte[] PROBE = "forkd".getBytes(StandardCharsets.US_ASCII);

  PemPair {
    chain = List.copyOf(chain);
  }

  static PemPair read(AccessOptions.Tls files) {
    List<X509Certificate> chain = chain(files.certificate());
    PublicKey expected = chain.getFirst().getPublicKey();
    PrivateKey key = key(files.key(), expected);
    if (!belongTogether(expected, key)) {
      throw mismatch(files.key());
    }
    return new PemPair(chain, key);
  }

  X509Certificate leaf() {
    return chain.getFirst();
  }

  SSLContext context() {
    try {
      char[] none = new char[0];
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, none);
      store.setKeyEntry("forkd", key, none, chain.toArray(X509Certificate[]::new));
      KeyManagerFactory managers =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      managers.init(store, none);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(managers.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException | IOException e) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST, "This certificate cannot be used for TLS: %s.".formatted(e), e);
    }
  }

  private static List<X509Certificate> chain(Path file) {
    try {
      if (Files.size(file) > LARGEST_CHAIN) {
        throw ForkdException.badRequest("The certificate %s is too large to be one.", file);
      }
      List<X509Certificate> chain =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(Files.readAllBytes(file)))
              .stream()
              .map(X509Certificate.class::cast)
              .toList();
      if (chain.isEmpty()) {
        throw ForkdException.badRequest(
            "%s holds no certificate: give a PEM file with the certificate first, then those that"
                + " signed it.",
            file);
      }
      return chain;
    } catch (IOException | CertificateException e) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST,
          "Cannot read the certificate %s: %s. Next: give a PEM file.".formatted(file, e),
          e);
    }
  }

  private static PrivateKey key(Path file, PublicKey expected) {
    String text = new SecretFile(file).read("private key", "give a PEM file in PKCS#8");
    Matcher block = BLOCK.matcher(text);
    while (block.find()) {
      String label = block.group(1);
      if (label.equals("PRIVATE KEY")) {
        return decode(file, block.group(2), expected);
      }
      if (KEY_LABEL.matcher(label).matches()) {
        throw unusable(file, label);
      }
    }
    if (text.contains("ENCRYPTED")) {
      throw unusable(file, "ENCRYPTED PRIVATE KEY");
    }
    throw ForkdException.badRequest(
        "%s holds no private key: expected a PEM block that begins with -----BEGIN PRIVATE"
            + " KEY-----.",
        file);
  }

  private static ForkdException unusable(Path file, String label) {
    String what =
        label.startsWith("ENCRYPTED")
            ? "is encrypted, and a daemon has nobody to ask for a password"
            : "is in the older form '%s'".formatted(label);
    return ForkdException.badRequest(
        "The private key %s %s. Next: (umask 077; openssl pkcs8 -topk8 -nocrypt -in %s -out"
            + " key.pem), then use --tls-key key.pem.",
        file, what, file);
  }

  private static PrivateKey decode(Path file, String base64, PublicKey expected) {
    byte[] encoded;
    try {
      encoded = Base64.getMimeDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw ForkdException.badRequest("The private key %s is damaged.", file);
    }
    try {
      return KeyFactory.getInstance(expected.getAlgorithm())
          .generatePrivate(new PKCS8EncodedKeySpec(encoded));
    } catch (GeneralSecurityException e) {
      throw mismatch(file);
    }
  }

  private static boolean belongTogether(PublicKey expected, PrivateKey key) {
    String algorithm =
        switch (expected.getAlgorithm()) {
          case "RSA" -> "SHA256withRSA";
          case "EC" -> "SHA256withECDSA";
          default -> expected.getAlgorithm();
        };
    try {
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(PROBE);
      byte[] signature = signer.sign();
      signer.initVerify(expected);
      signer.update(PROBE);
      return signer.verify(signature);
    } catch (GeneralSecurityException e) {
      return false;
    }
  }

  private static ForkdException mismatch(Path key) {
    return ForkdException.badRequest(
        "The private key %s is damaged or does not belong to the first certificate of --tls-cert:"
            + " give the pair that was made together, the server's own certificate first.",
        key);
  }
}
