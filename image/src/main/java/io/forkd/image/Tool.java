package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** A program of the host that making guests relies on, and the Debian package that brings it. */
enum Tool {
  APT_GET("apt-get", "apt"),
  APT_CACHE("apt-cache", "apt"),
  APT_CONFIG("apt-config", "apt"),
  DPKG_DEB("dpkg-deb", "dpkg"),
  MMDEBSTRAP("mmdebstrap", "mmdebstrap"),
  UNSHARE("unshare", "util-linux"),
  UMOUNT("umount", "mount"),
  MKE2FS("mke2fs", "e2fsprogs"),
  DEBUGFS("debugfs", "e2fsprogs"),
  CP("cp", "coreutils"),
  SYNC("sync", "coreutils"),
  SH("sh", "dash"),
  XZ("xz", "xz-utils"),
  ZSTD("zstd", "zstd"),
  GZIP("gzip", "gzip");

  private final String program;
  private final String debianPackage;

  Tool(String program, String debianPackage) {
    this.program = program;
    this.debianPackage = debianPackage;
  }

  String program() {
    return program;
  }

  String debianPackage() {
    return debianPackage;
  }

  /** The packages whose programs are not on this host. */
  static List<String> missingPackages() {
    return Arrays.stream(values())
        .filter(tool -> tool.find().isEmpty())
        .map(Tool::debianPackage)
        .distinct()
        .toList();
  }

  Path require() {
    return find()
        .orElseThrow(
            () ->
                new ForkdException(
                    ErrorCode.HOST_FAILED,
                    "The program '%s' is not on this host. Next: apt-get install %s"
                        .formatted(program, debianPackage)));
  }

  Optional<Path> find() {
    String path = System.getenv("PATH");
    // A daemon's PATH often lacks the sbin folders, where mke2fs lives.
    return Stream.concat(
            Arrays.stream((path == null ? "" : path).split(File.pathSeparator)),
            Stream.of("/usr/local/sbin", "/usr/sbin", "/usr/bin", "/sbin", "/bin"))
        .filter(folder -> !folder.isEmpty())
        .map(folder -> Path.of(folder, program))
        .filter(file -> Files.isExecutable(file) && !Files.isDirectory(file))
        .findFirst();
  }
}
