package io.forkd.server;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Makes self-signed certificates for 127.0.0.1 with the JDK's keytool, as PEM files. */
final class Certificates {
  private static final String PASSWORD = "changeit";

  private final Path folder;

  Certificates(Path folder) {
    this.folder = folder;
  }

  AccessOptions.Tls make(String name, String algorithm, String... more) {
    Path store = folder.resolve(name + ".p12");
    try {
      keytool(store, name, algorithm, more);
      KeyStore keys = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(store)) {
        keys.load(in, PASSWORD.toCharArray());
      }
      Path certificate = folder.resolve(name + ".crt");
      Files.writeString(certificate, pem("CERTIFICATE", keys.getCertificate("forkd").getEncoded()));
      Path key =
          Secrets.write(
              folder.resolve(name + ".key"),
              pem("PRIVATE KEY", keys.getKey("forkd", PASSWORD.toCharArray()).getEncoded()));
      return new AccessOptions.Tls(certificate, key);
    } catch (IOException | GeneralSecurityException e) {
      throw new AssertionError("Cannot make a certificate", e);
    }
  }

  static String pem(String label, byte[] bytes) {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, text, label);
  }

  private static void keytool(Path store, String name, String algorithm, String... more)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "forkd",
                "-keyalg",
                algorithm,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1,dns:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                store.toString()));
    command.addAll(List.of(more));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    try {
      if (process.waitFor() != 0) {
        throw new AssertionError("keytool failed: " + output);
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
