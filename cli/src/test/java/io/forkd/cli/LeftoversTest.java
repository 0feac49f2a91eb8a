package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Locations;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeftoversTest {
  @TempDir Path folder = Path.of("/");

  private Process sleeperIn(Path sandbox) throws IOException {
    Path scratch = Files.createDirectories(sandbox.resolve("vmm"));
    return new ProcessBuilder("sleep", "300").directory(scratch.toFile()).start();
  }

  @Test
  void aProcessIsFoundByTheFolderItWorksInAndEndedBeforeThatGoes() throws Exception {
    Process sleeper = sleeperIn(folder.resolve("run/sb/sb-0123456789-0000"));
    List<Leftover> found = Leftovers.find(locations());

    assertThat(found).extracting(Leftover::kind).containsExactly("process", "sandbox");
    assertThat(found.getFirst().what()).isEqualTo(sleeper.pid() + " (sandbox sb-0123456789-0000)");
    assertThat(found).allSatisfy(each -> assertThat(each.remove()).isEqualTo(Optional.empty()));
    assertThat(sleeper.waitFor()).isEqualTo(137);
    assertThat(Leftovers.find(locations())).isEmpty();
  }

  @Test
  void aProcessIsFoundAlsoWhenTheRunFolderIsReachedByALink() throws Exception {
    Process sleeper = sleeperIn(folder.resolve("real/sb/sb-0123456789-0000"));
    Files.createSymbolicLink(folder.resolve("run"), folder.resolve("real"));
    List<Leftover> found = Leftovers.find(locations());

    assertThat(found).extracting(Leftover::kind).containsExactly("process", "sandbox");
    assertThat(found.getFirst().remove()).isEmpty();
    assertThat(sleeper.waitFor()).isEqualTo(137);
  }

  @Test
  void aProcessThatOnlyGotTheSameIdIsNotTouched() {
    long self = ProcessHandle.current().pid();
    assertThat(new Leftover.Vmm("sb-0123456789-0000", self, 1).remove()).isEmpty();
  }

  @Test
  void stagingFoldersAreFound() throws IOException {
    Files.createDirectories(folder.resolve("data/snapshots/.staging/t-1234"));
    Files.createDirectories(folder.resolve("data/snapshots/kept"));

    List<Leftover> found = Leftovers.find(locations());
    assertThat(found).extracting(Leftover::kind).containsExactly("staging");
    assertThat(found.getFirst().remove()).isEmpty();
    assertThat(folder.resolve("data/snapshots/kept")).exists();
  }

  @Test
  void aLockedDataFolderMeansThatADaemonLives() throws IOException {
    Path lock = Files.createDirectories(folder.resolve("data")).resolve("daemon.lock");
    assertThat(Leftovers.daemonLives(locations())).isFalse();
    Files.createFile(lock);
    assertThat(Leftovers.daemonLives(locations())).isFalse();
    try (FileChannel channel = FileChannel.open(lock, StandardOpenOption.WRITE)) {
      assertThat(channel.lock().isValid()).isTrue();
      assertThat(Leftovers.daemonLives(locations())).isTrue();
    }
  }

  private Locations locations() {
    return new Locations(folder.resolve("data"), folder.resolve("run"));
  }
}
