package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
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

  @Test
  void aRecordedProcessThatStillRunsIsFoundAndEndedBeforeItsFolderGoes() throws Exception {
    Process sleeper = new ProcessBuilder("sleep", "300").start();
    record("sb-0123456789-0000", sleeper.pid(), Leftovers.startTime(sleeper.pid()).orElseThrow());
    List<Leftover> found = Leftovers.find(locations());

    assertThat(found).extracting(Leftover::kind).containsExactly("process", "sandbox");
    assertThat(found).allSatisfy(each -> assertThat(each.remove()).isEqualTo(Optional.empty()));
    assertThat(sleeper.waitFor()).isEqualTo(137);
    assertThat(Leftovers.find(locations())).isEmpty();
  }

  @Test
  void aProcessThatOnlyGotTheSameIdIsNotTouched() throws IOException {
    long self = ProcessHandle.current().pid();
    record("sb-0123456789-0000", self, Leftovers.startTime(self).orElseThrow() - 1);

    assertThat(Leftovers.find(locations())).extracting(Leftover::kind).containsExactly("sandbox");
    assertThat(new Leftover.Vmm("sb-0123456789-0000", self, 1).remove()).isEmpty();
  }

  @Test
  void aProcessWithoutARecordIsFoundByTheFolderItWorksIn() throws Exception {
    Path sandbox = Files.createDirectories(folder.resolve("run/sb/sb-0123456789-0000"));
    Process sleeper = new ProcessBuilder("sleep", "300").directory(sandbox.toFile()).start();
    List<Leftover> found = Leftovers.find(locations());

    assertThat(found).extracting(Leftover::kind).containsExactly("process", "sandbox");
    assertThat(found.getFirst().remove()).isEmpty();
    assertThat(sleeper.waitFor()).isEqualTo(137);
  }

  @Test
  void aBrokenRecordDoesNotHideTheFolder() throws IOException {
    Path sandbox = Files.createDirectories(folder.resolve("run/sb/sb-0123456789-0000"));
    Files.writeString(sandbox.resolve("record.json"), "{\"pid\":", UTF_8);

    assertThat(Leftovers.find(locations())).extracting(Leftover::kind).containsExactly("sandbox");
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

  private void record(String id, long pid, long startTime) throws IOException {
    Path sandbox = Files.createDirectories(folder.resolve("run/sb").resolve(id));
    Files.writeString(
        sandbox.resolve("record.json"),
        "{\"id\":\"%s\",\"pid\":%d,\"start_time\":%d,\"cgroup\":\"\"}"
            .formatted(id, pid, startTime),
        UTF_8);
  }
}
