package io.forkd.image;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/**
 * The unprivileged account that every guest made from a recipe has: {@code user}, 1000, at home in
 * {@code /home/user}, and root by sudo without a password where sudo is installed.
 */
final class UserAccount {
  static final String NAME = "user";
  static final int ID = 1000;

  /** Gives a file to the account. */
  interface Owning {
    void give(Path file) throws IOException;
  }

  private final Path root;
  private final Owning owning;

  UserAccount(Path root, Owning owning) {
    this.root = root;
    this.owning = owning;
  }

  /** Changes the owner of a file, which only root may. */
  static void chown(Path file) throws IOException {
    Files.setAttribute(file, "unix:uid", ID, LinkOption.NOFOLLOW_LINKS);
    Files.setAttribute(file, "unix:gid", ID, LinkOption.NOFOLLOW_LINKS);
  }

  /** Adds it to a root filesystem, unless one of that name or number is there. */
  void add() throws IOException {
    Path passwd = root.resolve("etc/passwd");
    if (Files.notExists(passwd) || isTaken(Files.readAllLines(passwd))) {
      return;
    }
    String shell = Files.exists(root.resolve("bin/bash")) ? "/bin/bash" : "/bin/sh";
    append("etc/passwd", "%s:x:%d:%d::/home/%s:%s".formatted(NAME, ID, ID, NAME, shell));
    append("etc/group", "%s:x:%d:".formatted(NAME, ID));
    append("etc/shadow", NAME + ":*:20000:0:99999:7:::");
    append("etc/gshadow", NAME + ":!::");
    makeHome();
    allowSudo();
  }

  private static boolean isTaken(List<String> accounts) {
    return accounts.stream()
        .anyMatch(line -> line.startsWith(NAME + ":") || line.matches("[^:]*:[^:]*:" + ID + ":.*"));
  }

  private void append(String file, String line) throws IOException {
    Path path = root.resolve(file);
    if (Files.exists(path)) {
      Files.writeString(path, line + "\n", StandardOpenOption.APPEND);
    }
  }

  private void makeHome() throws IOException {
    Path home = Files.createDirectories(root.resolve("home").resolve(NAME));
    owning.give(home);
    Path skeleton = root.resolve("etc/skel");
    if (Files.notExists(skeleton)) {
      return;
    }
    try (var files = Files.walk(skeleton)) {
      for (Path file : files.filter(each -> !each.equals(skeleton)).toList()) {
        Path copy = home.resolve(skeleton.relativize(file).toString());
        Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS);
        owning.give(copy);
      }
    }
  }

  private void allowSudo() throws IOException {
    if (Files.notExists(root.resolve("usr/bin/sudo"))) {
      return;
    }
    Path rule = Files.createDirectories(root.resolve("etc/sudoers.d")).resolve("forkd-" + NAME);
    Files.writeString(rule, NAME + " ALL=(ALL:ALL) NOPASSWD: ALL\n");
    Files.setPosixFilePermissions(rule, PosixFilePermissions.fromString("r--r-----"));
  }
}
