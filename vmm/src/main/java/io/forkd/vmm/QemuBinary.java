package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The QEMU program of this host's architecture. */
public record QemuBinary(Path path, String versionText) {
  private static final List<String> FOLDERS = List.of("/usr/local/bin", "/usr/bin", "/usr/libexec");

  /** Finds the newest-path-first QEMU for an architecture, or empty when none is installed. */
  public static Optional<QemuBinary> find(String arch) {
    return FOLDERS.stream()
        .map(folder -> Path.of(folder, "qemu-system-" + arch))
        .filter(Files::isExecutable)
        .findFirst()
        .map(path -> new QemuBinary(path, askVersion(path)));
  }

  /** The Debian package that holds QEMU for an architecture. */
  public static String debianPackage(String arch) {
    return arch.equals("aarch64") ? "qemu-system-arm" : "qemu-system-x86";
  }

  static QemuBinary require(String arch) {
    return find(arch)
        .orElseThrow(
            () ->
                new ForkdException(
                    ErrorCode.HOST_FAILED,
                    "QEMU for %s is not installed. Next: apt-get install --no-install-recommends %s"
                        .formatted(arch, debianPackage(arch))));
  }

  QemuVersion version() {
    QemuVersion version =
        QemuVersion.parse(versionText)
            .orElseThrow(
                () ->
                    new ForkdException(
                        ErrorCode.HOST_FAILED,
                        "%s --version says '%s', which names no version."
                            .formatted(path, versionText)));
    if (!version.atLeast(QemuVersion.OLDEST_SUPPORTED)) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "%s is QEMU %s; forkd needs %s or newer."
              .formatted(path, version, QemuVersion.OLDEST_SUPPORTED));
    }
    return version;
  }

  private static String askVersion(Path path) {
    try {
      Process process =
          new ProcessBuilder(path.toString(), "--version").redirectErrorStream(true).start();
      byte[] output = process.getInputStream().readNBytes(4096);
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
      return new String(output, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw new ForkdException(ErrorCode.HOST_FAILED, "cannot run %s --version".formatted(path), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.INTERNAL, "interrupted while asking QEMU's version", e);
    }
  }
}
