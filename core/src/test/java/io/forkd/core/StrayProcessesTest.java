package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Folders;
import io.forkd.linux.Child;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class StrayProcessesTest {
  @TempDir Path temp;
  private final List<Child> started = new ArrayList<>();
  private Path root;

  @BeforeEach
  void makeRoot() throws IOException {
    root = Files.createDirectories(temp.toRealPath().resolve("run/sb"));
  }

  @AfterEach
  void endAll() {
    started.forEach(child -> child.kill(Signal.KILL));
  }

  private Child sleepIn(Path folder) throws IOException {
    Files.createDirectories(folder);
    Child child = Spawn.of(Path.of("/bin/sleep"), List.of("1000")).workingDirectory(folder).start();
    started.add(child);
    return child;
  }

  private static StrayProcesses.Stray stray(Child child) {
    return new StrayProcesses.Stray(child.pid(), child.startTicks());
  }

  @Test
  void findsWhatWorksUnderTheFolderAndNothingBesideIt() throws IOException {
    Child one = sleepIn(root.resolve("sb-0123456789-0000/vmm"));
    Child two = sleepIn(root.resolve("sb-0123456789-0001/vmm"));
    sleepIn(temp.toRealPath().resolve("run"));
    sleepIn(temp.toRealPath().resolve("run/sb-other/vmm"));
    assertThat(StrayProcesses.of(root)).containsExactlyInAnyOrder(stray(one), stray(two));
  }

  @Test
  void findsAProcessWhoseFolderIsAlreadyRemoved() throws IOException {
    Child child = sleepIn(root.resolve("sb-0123456789-0000/vmm"));
    Folders.deleteIfThere(root.resolve("sb-0123456789-0000"));
    assertThat(StrayProcesses.of(root)).containsExactly(stray(child));
  }

  @Test
  void findsThemAlsoWhenTheRunFolderIsReachedByALink() throws IOException {
    Child child = sleepIn(root.resolve("sb-0123456789-0000/vmm"));
    Path link = Files.createSymbolicLink(temp.resolve("var-run"), temp.resolve("run"));
    assertThat(StrayProcesses.of(link.resolve("sb"))).containsExactly(stray(child));
  }

  @Test
  void aProcessThatHasEndedIsNoStray() throws IOException {
    Child child = sleepIn(root.resolve("sb-0123456789-0000/vmm"));
    child.kill(Signal.KILL);
    child.exit().join();
    assertThat(StrayProcesses.of(root)).isEmpty();
  }

  @Test
  void aFolderThatIsNotThereHasNone() {
    assertThat(StrayProcesses.of(temp.resolve("missing"))).isEmpty();
  }
}
