package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Looking at, making, moving, removing and changing files of a guest. Runs as root. */
@Timeout(120)
class FileTreeTest extends FilesFixture {
  @Test
  void aFileIsToldWithAllThatIsKnownOfIt() throws IOException {
    Path file = Files.writeString(folder.resolve("f"), "12345");
    Instant modified = Instant.ofEpochSecond(1_700_000_000, 123_456_000);
    Files.setLastModifiedTime(file, FileTime.from(modified));
    files().change(file.toString(), change(04711, "nobody", "daemon", false));
    FileEntry entry = files().stat(file.toString());
    assertThat(entry.path()).isEqualTo(file.toString());
    assertThat(entry.name()).isEqualTo("f");
    assertThat(entry.type()).isEqualTo(FileEntry.Type.FILE);
    assertThat(entry.size()).isEqualTo(5);
    assertThat(entry.mode()).isEqualTo(04711);
    assertThat(entry.owner()).isEqualTo("nobody");
    assertThat(entry.group()).isEqualTo("daemon");
    assertThat(entry.modified()).isEqualTo(modified);
    assertThat(entry.symlinkTarget()).isEmpty();
    assertThat(entry.metadata()).isEmpty();
  }

  @Test
  void aSymlinkIsToldItselfAndFollowedOnTheWay() throws IOException {
    Files.createDirectory(folder.resolve("real"));
    Files.writeString(folder.resolve("real/f"), "x");
    Files.createSymbolicLink(folder.resolve("link"), Path.of("real"));
    FileEntry link = files().stat(at("link"));
    assertThat(link.type()).isEqualTo(FileEntry.Type.SYMLINK);
    assertThat(link.symlinkTarget()).contains("real");
    assertThat(files().stat(at("link/f")).type()).isEqualTo(FileEntry.Type.FILE);
    assertThat(files().list(at("link"), 1))
        .extracting(FileEntry::path)
        .containsExactly(at("link/f"));
    assertThat(files().stat("/dev/null").type()).isEqualTo(FileEntry.Type.OTHER);
  }

  @Test
  void aNumberWithoutANameIsToldAsOne() throws IOException {
    Files.writeString(folder.resolve("f"), "");
    FileEntry entry = files().change(at("f"), change(0600, "54321", "54322", false));
    assertThat(entry.owner()).isEqualTo("54321");
    assertThat(entry.group()).isEqualTo("54322");
  }

  @Test
  void aFolderIsListedAsDeepAsAsked() throws IOException {
    Files.createDirectories(folder.resolve("a/b/c"));
    Files.writeString(folder.resolve("a/b/c/deep"), "");
    Files.createSymbolicLink(folder.resolve("a/loop"), Path.of(".."));
    assertThat(names(files().list(folder.toString(), 1))).containsExactly("a");
    assertThat(names(files().list(folder.toString(), 3)))
        .containsExactly("a", "a/b", "a/b/c", "a/loop");
    assertThat(names(files().list(folder.toString(), Integer.MAX_VALUE)))
        .containsExactly("a", "a/b", "a/b/c", "a/b/c/deep", "a/loop");
    assertThat(files().list("/", 1)).extracting(FileEntry::path).contains("/tmp", "/etc");
    assertThatThrownBy(() -> files().list(folder.toString(), 0))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("1 or more");
  }

  @Test
  void aFolderOfManyFilesIsListedWhole() throws IOException {
    for (int i = 0; i < 3000; i++) {
      Files.createFile(folder.resolve("file-with-a-name-of-some-length-" + i));
    }
    assertThat(files().list(folder.toString(), 1)).hasSize(3000);
  }

  @Test
  void pathsAreCleanedAndBeginAtTheUsersHome() {
    String home = Path.of("/root").toString();
    assertThat(files().stat("/etc//./../etc/passwd/").path()).isEqualTo("/etc/passwd");
    assertThat(files().stat("/../..").path()).isEqualTo("/");
    assertThat(files().stat("~").path()).isEqualTo(home);
    assertThat(files().stat("").path()).isEqualTo(home);
    assertThat(files().stat("../etc").path()).isEqualTo("/etc");
    assertThat(files().stat("~/../etc").path()).isEqualTo("/etc");
    assertThat(filesOf("sys").stat("~").path()).isEqualTo("/dev");
    assertThat(filesOf("sys").stat("null").path()).isEqualTo("/dev/null");
    assertRefused(GuestFailure.NOT_FOUND, () -> files().stat("~nobody/x"));
  }

  @Test
  void whatAUserMakesIsTheUsersWithTheFoldersAboveIt() throws IOException {
    FileTree files = filesOf("nobody");
    assertThat(files.makeFolder(at("p/q")).owner()).isEqualTo("nobody");
    assertThat(files.stat(at("p")).owner()).isEqualTo("nobody");
    assertThat(files.stat(at("p")).mode()).isEqualTo(0755);
    assertThat(write(files, at("w/x/file"), "1").owner()).isEqualTo("nobody");
    assertThat(files.stat(at("w/x")).owner()).isEqualTo("nobody");
    assertThat(files.move(at("w/x/file"), at("m/file")).path()).isEqualTo(at("m/file"));
    assertThat(files.stat(at("m")).owner()).isEqualTo("nobody");
    assertThat(files.stat(folder.toString()).owner()).isEqualTo("root");
  }

  @Test
  void nobodyKnowsAUserThatIsNotThere() {
    assertRefused(GuestFailure.NO_SUCH_USER, () -> filesOf("mallory").stat("/"));
    assertRefused(
        GuestFailure.NO_SUCH_USER,
        () -> files().change(at(""), change(0700, "mallory", "root", false)));
    assertRefused(
        GuestFailure.NO_SUCH_USER,
        () -> files().change(at(""), change(0700, "root", "mallory", false)));
  }

  @Test
  void failuresAreToldApart() throws IOException {
    Files.writeString(folder.resolve("file"), "x");
    Files.createDirectories(folder.resolve("full/below"));
    Files.createSymbolicLink(folder.resolve("loop"), Path.of("loop"));
    assertRefused(GuestFailure.NOT_FOUND, () -> files().stat(at("nothing")));
    assertRefused(GuestFailure.NOT_FOUND, () -> files().list(at("nothing"), 1));
    assertRefused(GuestFailure.NOT_FOUND, () -> files().move(at("nothing"), at("x")));
    assertRefused(GuestFailure.NOT_FOUND, () -> files().change(at("nothing"), MODE));
    assertRefused(GuestFailure.EXISTS, () -> files().makeFolder(at("full")));
    assertRefused(GuestFailure.EXISTS, () -> files().makeFolder(at("file")));
    assertRefused(GuestFailure.EXISTS, () -> files().makeFolder("/"));
    Files.createDirectory(folder.resolve("empty"));
    assertRefused(GuestFailure.EXISTS, () -> files().move(at("empty"), at("full")));
    assertRefused(GuestFailure.NOT_A_FOLDER, () -> files().list(at("file"), 1));
    assertRefused(GuestFailure.NOT_A_FOLDER, () -> files().makeFolder(at("file/below")));
    assertRefused(GuestFailure.NOT_A_FOLDER, () -> files().stat(at("file/below")));
    assertRefused(GuestFailure.IS_A_FOLDER, () -> files().move(at("file"), at("full")));
    assertRefused(GuestFailure.DENIED, () -> files().remove("/proc/self"));
    assertRefused(GuestFailure.UNFIT, () -> files().list(at("loop"), 1));
    assertRefused(GuestFailure.UNFIT, () -> files().move(at("full"), at("full/below/x")));
    assertRefused(GuestFailure.UNFIT, () -> files().stat("/" + "n".repeat(256)));
    assertRefused(GuestFailure.UNFIT, () -> files().remove("/"));
    assertRefused(GuestFailure.UNFIT, () -> files().remove("/etc/.."));
    assertThatThrownBy(() -> files().stat(at("nothing"))).hasMessageContaining("No such file");
  }

  @Test
  void aMoveReplacesAFileAndKeepsALink() throws IOException {
    Files.writeString(folder.resolve("a"), "new");
    Files.writeString(folder.resolve("b"), "old");
    FileEntry moved = files().move(at("a"), at("b"));
    assertThat(moved.path()).isEqualTo(at("b"));
    assertThat(Files.readString(folder.resolve("b"))).isEqualTo("new");
    assertThat(folder.resolve("a")).doesNotExist();
    Files.createSymbolicLink(folder.resolve("l"), Path.of("nowhere"));
    assertThat(files().move(at("l"), at("l2")).type()).isEqualTo(FileEntry.Type.SYMLINK);
  }

  @Test
  void removingTakesAllBelowButNothingBehindALink() throws IOException {
    Files.createDirectories(folder.resolve("kept"));
    Files.writeString(folder.resolve("kept/f"), "");
    Path deep = folder.resolve("gone");
    for (int i = 0; i < 40; i++) {
      deep = deep.resolve("d" + i);
    }
    Files.createDirectories(deep);
    Files.createSymbolicLink(folder.resolve("gone/link"), folder.resolve("kept"));
    Files.createSymbolicLink(folder.resolve("top"), folder.resolve("kept"));
    files().remove(at("gone"));
    files().remove(at("top"));
    files().remove(at("never was"));
    files().remove(at("never was/either"));
    files().remove(at("kept/f/below a file"));
    assertThat(names(files().list(folder.toString(), 9))).containsExactly("kept", "kept/f");
  }

  @Test
  void aChangeOfAllBelowLeavesWhatLinksLeadTo() throws IOException {
    Files.createDirectories(folder.resolve("t/d"));
    Files.writeString(folder.resolve("t/d/f"), "");
    Files.writeString(folder.resolve("outside"), "");
    Files.createSymbolicLink(folder.resolve("t/link"), folder.resolve("outside"));
    FileEntry outside = files().stat(at("outside"));
    files().change(at("t"), change(0750, "nobody", "daemon", true));
    assertThat(files().list(folder.resolve("t").toString(), 3))
        .allSatisfy(entry -> assertThat(entry.owner()).isEqualTo("nobody"));
    assertThat(files().stat(at("t/d/f")).mode()).isEqualTo(0750);
    assertThat(files().stat(at("outside"))).isEqualTo(outside);
    FileChange throughLink =
        new FileChange(Optional.of(0640), Optional.empty(), Optional.empty(), false);
    assertThat(files().change(at("t/link"), throughLink).type()).isEqualTo(FileEntry.Type.SYMLINK);
    assertThat(files().stat(at("outside")).mode()).isEqualTo(0640);
    assertThat(files().stat(at("outside")).owner()).isEqualTo("root");
  }

  @Test
  void anyNameWillDo() throws IOException {
    List<String> names =
        List.of(
            " a b ",
            "new\nline",
            "tab\t",
            "é",
            "👩‍💻",
            "\\",
            "a\\b",
            "-rf",
            "*",
            "n".repeat(255),
            "\\xff\\xfe not text",
            "\"quoted\"",
            "~",
            "a\\\\xff");
    for (String name : names) {
      // Below a folder: a lone "~" means home.
      String path = at("x") + "/" + name;
      assertThat(write(files(), path, name).path()).isEqualTo(path);
      assertThat(read(files(), path)).isEqualTo(name);
      assertThat(files().stat(path).name()).isEqualTo(name);
    }
    assertThat(files().list(at("x"), 1))
        .extracting(FileEntry::name)
        .containsExactlyInAnyOrderElementsOf(names);
    for (String name : names) {
      files().remove(at("x") + "/" + name);
    }
    assertThat(files().list(at("x"), 1)).isEmpty();
  }

  @Test
  void theLongestPathIsAsGoodAsAShortOne() throws IOException {
    StringBuilder path = new StringBuilder(folder.toString());
    while (path.length() < 4000) {
      path.append("/").append("d".repeat(Math.min(90, 4090 - path.length())));
    }
    path.append("/");
    path.append("f".repeat(4095 - path.length()));
    assertThat(path).hasSize(4095);
    assertThat(write(files(), path.toString(), "far").size()).isEqualTo(3);
    assertThat(read(files(), path.toString())).isEqualTo("far");
    assertThat(files().list(folder.toString(), 1000))
        .last()
        .extracting(FileEntry::size)
        .isEqualTo(3L);
    files().remove(at("d".repeat(90)));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void specialFilesAreTold() throws IOException, InterruptedException {
    assertThat(new ProcessBuilder("mkfifo", at("pipe")).start().waitFor()).isZero();
    assertThat(files().stat(at("pipe")).type()).isEqualTo(FileEntry.Type.OTHER);
    assertThat(files().stat(at("pipe")).size()).isZero();
    files().remove(at("pipe"));
    assertThat(Files.exists(folder.resolve("pipe"), LinkOption.NOFOLLOW_LINKS)).isFalse();
  }

  private static final FileChange MODE =
      new FileChange(Optional.of(0600), Optional.empty(), Optional.empty(), false);

  private static FileChange change(int mode, String owner, String group, boolean recursive) {
    return new FileChange(Optional.of(mode), Optional.of(owner), Optional.of(group), recursive);
  }

  private List<String> names(List<FileEntry> entries) {
    return entries.stream().map(it -> it.path().substring(folder.toString().length() + 1)).toList();
  }
}
