package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReflinkTest {
  @TempDir Path folder;

  @Test
  void clonesWhereTheProbeSaysSoAndOnlyThere() throws Exception {
    Path source = Files.writeString(folder.resolve("source"), "x".repeat(100_000));
    Path target = folder.resolve("target");
    try (Fd from = HostFiles.open(source, OpenFlag.READ);
        Fd to = HostFiles.create(target, 0600)) {
      boolean cloned = Reflink.tryClone(from, to);
      assertThat(cloned).isEqualTo(Reflink.supportedIn(folder));
      assertThat(Files.size(target)).isEqualTo(cloned ? 100_000 : 0);
    }
    assertThat(folder).isDirectoryNotContaining(path -> path.toString().contains("#"));
  }

  @Test
  void memoryFilesAndProcCannotClone() {
    try (Memfd from = Memfd.create("a", 4096);
        Memfd to = Memfd.create("b", 4096)) {
      assertThat(Reflink.tryClone(from.fd(), to.fd())).isFalse();
    }
    assertThat(Reflink.supportedIn(Path.of("/dev/shm"))).isFalse();
  }
}
