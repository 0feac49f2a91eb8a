package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Files of a guest with several file systems, which fill up. */
@Timeout(120)
class FileSystemsTest {
  private static final int MIB = 1 << 20;

  @RegisterExtension
  static final RunningAgent guest = new RunningAgent(() -> HostAgent.withSmallDisks(1));

  private static FileTree files;

  @BeforeAll
  static void start() {
    files = guest.agent().files(Optional.empty());
  }

  @BeforeEach
  void empty() {
    for (String disk : List.of("/mnt", "/srv")) {
      files.list(disk, 1).forEach(entry -> files.remove(entry.path()));
    }
  }

  @Test
  void aFullDiskIsToldAndTheRestOfTheInputHangsNothing() throws IOException {
    files.write("/mnt/full/f", FileWrite.REPLACE, text("what was there"));
    for (String name : List.of("f", "g")) {
      FilesFixture.assertRefused(
          GuestFailure.NO_SPACE,
          () -> files.write("/mnt/full/" + name, FileWrite.REPLACE, zeros(64 * MIB)));
    }
    assertThat(FilesFixture.read(files, "/mnt/full/f")).isEqualTo("what was there");
    assertThat(files.list("/mnt/full", 1)).extracting(FileEntry::name).containsExactly("f");
    files.remove("/mnt/full");
    byte[] tar;
    try (FileContent content = files.download("/usr/bin")) {
      tar = content.stream().readNBytes(20 * MIB);
    }
    FilesFixture.assertRefused(
        GuestFailure.NO_SPACE, () -> files.upload("/mnt/bin", new ByteArrayInputStream(tar)));
    files.remove("/mnt/bin");
    assertThat(files.write("/mnt/f", FileWrite.REPLACE, zeros(MIB)).size()).isEqualTo(MIB);
  }

  private static InputStream zeros(int length) {
    return new ByteArrayInputStream(new byte[length]);
  }

  @Test
  void aFileThatIsMountedIsWrittenWhereItIs() throws IOException {
    files.write("/mnt/f", FileWrite.REPLACE, text("old"));
    files.write("/srv/over", FileWrite.REPLACE, text("older"));
    exec("mount", "--bind", "/mnt/f", "/srv/over");
    try {
      files.write("/srv/over", FileWrite.REPLACE, text("new"));
      assertThat(FilesFixture.read(files, "/mnt/f")).isEqualTo("new");
      assertThat(files.list("/srv", 1)).hasSize(1);
    } finally {
      exec("umount", "/srv/over");
    }
  }

  private static void exec(String... command) {
    ExecResult result = guest.agent().exec(ExecRequest.of(List.of(command), HostAgent.PATIENCE));
    assertThat(result.exitCode()).as(result.toString()).isZero();
  }

  @Test
  void aMoveBetweenFileSystemsTakesEverythingAlong() throws IOException {
    Map<String, String> none = Map.of();
    files.write("/mnt/t/a/f", new FileWrite(false, Optional.of(0711), none), text("content"));
    files.write("/mnt/t/a/n\\xff\n", FileWrite.REPLACE, text("odd"));
    files.upload("/mnt/t", tarOf("/etc/alternatives"));
    List<FileEntry> before = files.list("/mnt/t", 9);
    assertThat(before).extracting(FileEntry::type).contains(FileEntry.Type.SYMLINK);
    FileEntry moved = files.move("/mnt/t", "/srv/made/t");
    assertThat(moved.type()).isEqualTo(FileEntry.Type.FOLDER);
    List<FileEntry> after = files.list("/srv/made/t", 9);
    assertThat(after).hasSameSizeAs(before);
    for (int i = 0; i < before.size(); i++) {
      FileEntry was = before.get(i);
      assertThat(after.get(i))
          .isEqualTo(
              new FileEntry(
                  was.path().replace("/mnt/t", "/srv/made/t"),
                  was.type(),
                  was.size(),
                  was.mode(),
                  was.owner(),
                  was.group(),
                  was.modified(),
                  was.symlinkTarget(),
                  was.metadata()));
    }
    assertThat(FilesFixture.read(files, "/srv/made/t/a/f")).isEqualTo("content");
    assertThat(files.list("/mnt", 9)).isEmpty();
    assertThat(files.list("/srv", 2)).hasSize(2);
  }

  @Test
  void aMoveThatDoesNotFitLeavesBothSidesAsTheyWere() throws IOException {
    files.write("/srv/old", FileWrite.REPLACE, text("old"));
    files.write("/srv/fill", FileWrite.REPLACE, zeros(5 * MIB));
    files.write("/mnt/big", FileWrite.REPLACE, new ByteArrayInputStream(nonZeros(5 * MIB)));
    FilesFixture.assertRefused(GuestFailure.NO_SPACE, () -> files.move("/mnt/big", "/srv/old"));
    assertThat(FilesFixture.read(files, "/srv/old")).isEqualTo("old");
    assertThat(files.list("/srv", 1)).hasSize(2);
    assertThat(files.stat("/mnt/big").size()).isEqualTo(5 * MIB);
    files.remove("/srv/fill");
    files.move("/mnt/big", "/srv/old");
    assertThat(files.stat("/srv/old").size()).isEqualTo(5 * MIB);
  }

  private static byte[] nonZeros(int length) {
    byte[] bytes = new byte[length];
    Arrays.fill(bytes, (byte) 1);
    return bytes;
  }

  @Test
  void metadataThatCannotBeStoredIsRefusedAndNothingIsLeft() {
    // Only the machine's own root may store such attributes, and this agent is root of less.
    FileWrite how = new FileWrite(false, Optional.empty(), Map.of("name", "value"));
    FilesFixture.assertRefused(GuestFailure.DENIED, () -> files.write("/mnt/m", how, text("x")));
    FilesFixture.assertRefused(GuestFailure.NOT_FOUND, () -> files.stat("/mnt/m"));
  }

  @Test
  void aMountedFolderIsNeitherRemovedNorMoved() throws IOException {
    files.write("/mnt/kept", FileWrite.REPLACE, text("x"));
    FilesFixture.assertRefused(GuestFailure.UNFIT, () -> files.remove("/mnt"));
    FilesFixture.assertRefused(GuestFailure.UNFIT, () -> files.move("/mnt", "/srv/mnt"));
    assertThat(files.list("/mnt", 1)).hasSize(1);
    assertThat(files.list("/srv", 1)).isEmpty();
  }

  private static InputStream text(String content) {
    return FilesFixture.stream(content);
  }

  private static InputStream tarOf(String path) throws IOException {
    try (FileContent content = files.download(path)) {
      return new ByteArrayInputStream(content.stream().readAllBytes());
    }
  }
}
