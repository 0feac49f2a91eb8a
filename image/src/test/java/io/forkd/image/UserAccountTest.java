package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class UserAccountTest {
  @TempDir private Path root;
  private final List<Path> given = new ArrayList<>();

  @BeforeEach
  void makeRoot() throws IOException {
    Files.createDirectories(root.resolve("etc/skel/.config"));
    Files.writeString(root.resolve("etc/skel/.profile"), "umask 022\n");
    Files.writeString(root.resolve("etc/passwd"), "root:x:0:0:root:/root:/bin/bash\n");
    Files.writeString(root.resolve("etc/group"), "root:x:0:\n");
    Files.writeString(root.resolve("etc/shadow"), "root:*:1:0:99999:7:::\n");
    Files.createDirectories(root.resolve("usr/bin"));
    Files.createDirectories(root.resolve("bin"));
  }

  @Test
  void theAccountHasAHomeWithTheSkeletonsFiles() throws IOException {
    Files.createFile(root.resolve("bin/bash"));
    add();
    Path home = root.resolve("home/user");
    assertThat(root.resolve("etc/passwd"))
        .content()
        .endsWith("\nuser:x:1000:1000::/home/user:/bin/bash\n");
    assertThat(root.resolve("etc/group")).content().endsWith("\nuser:x:1000:\n");
    assertThat(root.resolve("etc/shadow")).content().contains("\nuser:*:");
    assertThat(root.resolve("etc/gshadow")).doesNotExist();
    assertThat(home.resolve(".profile")).hasContent("umask 022\n");
    assertThat(given)
        .containsExactlyInAnyOrder(home, home.resolve(".profile"), home.resolve(".config"));
    assertThat(root.resolve("etc/sudoers.d")).doesNotExist();
  }

  @Test
  void withoutBashItGetsThePlainShell() throws IOException {
    add();
    assertThat(root.resolve("etc/passwd")).content().endsWith("/home/user:/bin/sh\n");
  }

  @Test
  void itMayBecomeRootWhereSudoIs() throws IOException {
    Files.createFile(root.resolve("usr/bin/sudo"));
    add();
    Path rule = root.resolve("etc/sudoers.d/forkd-user");
    assertThat(rule).hasContent("user ALL=(ALL:ALL) NOPASSWD: ALL\n");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rule)))
        .isEqualTo("r--r-----");
  }

  @Test
  void anAccountOfThatNameOrNumberIsLeftAlone() throws IOException {
    for (String taken : List.of("user:x:7:7::/:/bin/sh\n", "other:x:1000:1000::/:/bin/sh\n")) {
      Files.writeString(root.resolve("etc/passwd"), taken);
      add();
      assertThat(root.resolve("etc/passwd")).hasContent(taken);
      assertThat(root.resolve("home")).doesNotExist();
    }
  }

  private void add() throws IOException {
    new UserAccount(root, given::add).add();
  }
}
