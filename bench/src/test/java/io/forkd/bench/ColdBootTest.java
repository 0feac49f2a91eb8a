package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.linux.Spawn;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ColdBootTest {
  @Test
  void theFirstProgramOfAColdBootIsOneThatPerlUnderstands(@TempDir Path folder) throws Exception {
    Path script = Files.writeString(folder.resolve("init"), ColdBootDisk.script());
    assertThat(Spawn.find("perl")).as("every Debian has perl-base").isPresent();
    try (Undo undo = new Undo(complaint -> {})) {
      Program.Ended ended =
          new Program(undo)
              .run(
                  List.of("perl", "-c", script.toString()),
                  folder.resolve("log"),
                  Duration.ofSeconds(30));
      assertThat(ended.output()).contains("syntax OK");
    }
    assertThat(ColdBootDisk.script())
        .contains(
            "exec('/usr/bin/python3', '-c', 'import numpy; print(numpy.zeros(5).tolist(), flush=True)')")
        .contains("'OMP_NUM_THREADS' => '1'");
  }

  @Test
  void linksInAGuestsRootMeanPathsInsideIt(@TempDir Path root) throws Exception {
    Files.createDirectories(root.resolve("usr/lib"));
    Files.writeString(root.resolve("usr/lib/libx.so.1.2"), "inside");
    Files.createSymbolicLink(root.resolve("usr/lib/libx.so.1"), Path.of("libx.so.1.2"));
    Files.createSymbolicLink(root.resolve("absolute"), Path.of("/usr/lib/libx.so.1"));
    assertThat(ColdBootDisk.inside(root, root.resolve("absolute")))
        .isEqualTo("inside".getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void anArchiveHasAlignedEntriesAndATrailer() {
    byte[] archive =
        new CpioWriter()
            .folder("mnt")
            .program("init", "abc".getBytes(StandardCharsets.US_ASCII))
            .finish();
    String text = new String(archive, StandardCharsets.ISO_8859_1);
    assertThat(archive.length % 4).isZero();
    assertThat(text).startsWith("070701").contains("mnt\0").contains("init\0").contains("abc");
    assertThat(text.indexOf("070701", 6) % 4).isZero();
    assertThat(text.stripTrailing()).contains("TRAILER!!!");
  }
}
