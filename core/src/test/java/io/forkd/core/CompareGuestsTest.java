package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Difference.FileChange;
import io.forkd.core.Difference.Kind;
import io.forkd.guest.GuestEntry;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class CompareGuestsTest {
  private final CompareFake a = image();
  private final CompareFake b = image();

  private static CompareFake image() {
    return new CompareFake()
        .inImage(CompareFake.directory("/etc", 0755))
        .inImage("/etc/motd", "hello\n")
        .inImage("/etc/issue", "one\ntwo\n")
        .inImage(CompareFake.symlink("/bin", "usr/bin"));
  }

  @Test
  void guestsThatWroteNothingDoNotDiffer() {
    assertThat(files()).isEmpty();
    assertThat(a.read).isEmpty();
  }

  @Test
  void tellsWhatWasAddedChangedAndRemovedSortedByPath() {
    b.write("/new", "1\n2\n3").write("/etc/issue", "one\n2\n").remove("/etc/motd");

    assertThat(files())
        .containsExactly(
            new FileChange(
                "/etc/issue",
                Kind.CHANGED,
                "file",
                OptionalLong.of(8),
                OptionalLong.of(6),
                List.of("content"),
                1,
                1,
                Optional.empty()),
            new FileChange(
                "/etc/motd",
                Kind.REMOVED,
                "file",
                OptionalLong.of(6),
                OptionalLong.empty(),
                List.of(),
                0,
                1,
                Optional.empty()),
            new FileChange(
                "/new",
                Kind.ADDED,
                "file",
                OptionalLong.empty(),
                OptionalLong.of(5),
                List.of(),
                3,
                0,
                Optional.empty()));
    assertThat(a.described).containsExactly("/etc/issue", "/etc/motd", "/new");
    assertThat(b.read).as("lines of what only one side has are counted there").hasSize(1);
  }

  @Test
  void whatBothWroteTheSameDoesNotDiffer() {
    a.write("/same", "x").write("/etc/motd", "hello\n").remove("/etc/issue");
    b.write("/same", "x").remove("/etc/issue");

    assertThat(files()).isEmpty();
  }

  @Test
  void aDirectoryIsToldOnlyWhenItDiffersItself() {
    a.write(CompareFake.directory("/etc", 0755));
    b.write(CompareFake.directory("/etc", 0755)).write("/etc/new", "x");
    assertThat(files()).extracting(FileChange::path).containsExactly("/etc/new");

    b.write(CompareFake.ownedBy(CompareFake.directory("/etc", 0700), 7));
    assertThat(files().getFirst().what()).containsExactly("mode", "owner");
    assertThat(files().getFirst().type()).isEqualTo("directory");
  }

  @Test
  void namesWhatIsHiddenOfAnImagesFolder() {
    b.remove("/etc").remove("/etc/motd").remove("/etc/issue");

    assertThat(files())
        .extracting(FileChange::path, FileChange::kind, FileChange::type)
        .containsExactly(
            tuple("/etc", Kind.REMOVED, "directory"),
            tuple("/etc/issue", Kind.REMOVED, "file"),
            tuple("/etc/motd", Kind.REMOVED, "file"));
  }

  @Test
  void tellsOtherTargetsTypesAndDevices() {
    a.write(CompareFake.entry("/dev0", GuestEntry.Type.CHAR_DEVICE, 0600, 0, "", "1:3"));
    b.write(CompareFake.entry("/dev0", GuestEntry.Type.CHAR_DEVICE, 0600, 0, "", "1:5"));
    b.write(CompareFake.symlink("/bin", "elsewhere"));
    b.write(CompareFake.directory("/etc/motd", 0755));

    assertThat(files())
        .extracting(FileChange::path, FileChange::type, FileChange::what)
        .containsExactly(
            tuple("/bin", "symlink", List.of("target")),
            tuple("/dev0", "char-device", List.of("device")),
            tuple("/etc/motd", "directory", List.of("type")));
    assertThat(files()).allMatch(change -> change.linesAdded() + change.linesRemoved() == 0);
  }

  @Test
  void aFileThatCannotBeReadIsNotTakenForEqual() {
    a.write(CompareFake.entry("/secret", GuestEntry.Type.FILE, 0600, 9, "", ""));
    b.write(CompareFake.entry("/secret", GuestEntry.Type.FILE, 0600, 9, "", ""));

    assertThat(files().getFirst().what()).containsExactly("content");
  }

  @Test
  void aModeAloneNeedsNoLookAtTheText() {
    b.write(CompareFake.ownedBy(CompareFake.file("/etc/motd", "hello\n"), 5));

    assertThat(files().getFirst().what()).containsExactly("owner");
    assertThat(a.read).isEmpty();
    assertThat(unified("/etc/motd")).isEmpty();
  }

  @Test
  void showsTextLineByLineWhenAsked() {
    b.write("/etc/issue", "one\n2\n").write("/new", "x").remove("/etc/motd");

    assertThat(unified("/etc/issue"))
        .contains("--- a/etc/issue\n+++ b/etc/issue\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n");
    assertThat(unified("/new"))
        .contains("--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n");
    assertThat(unified("/etc/motd"))
        .contains("--- a/etc/motd\n+++ /dev/null\n@@ -1 +0,0 @@\n-hello\n");
  }

  @Test
  void binaryFilesHaveNoLines() {
    a.write("/data", "text\n");
    b.writeBytes("/data", new byte[] {1, 0, 2});

    FileChange change = files().getFirst();
    assertThat(change.what()).containsExactly("content");
    assertThat(change.linesRemoved()).isZero();
    assertThat(unified("/data")).isEmpty();
  }

  @Test
  void aTextThatIsGoneOrNoTextAnyMoreIsToldWithoutLines() {
    a.write("/log", "1\n").write("/other", "1\n");
    b.write("/log", "2\n").forget("/log").write("/other", "2\n");
    b.writeBytes("/other", new byte[] {(byte) 0xff}).write(CompareFake.file("/other", "2\n"));

    assertThat(files()).extracting(FileChange::path).containsExactly("/log", "/other");
    assertThat(files()).allMatch(change -> change.linesAdded() == 0);
  }

  @Test
  void stopsShowingTextBeforeTheAnswerGrowsWithoutBound() {
    String mebibyte = "0123456789abcde\n".repeat(60_000);
    for (int i = 10; i < 40; i++) {
      b.write("/text" + i, mebibyte);
    }
    List<FileChange> changes = CompareGuests.compare(a, b, true, true).files();

    assertThat(changes).hasSize(30).allMatch(change -> change.linesAdded() == 60_000);
    assertThat(changes.getFirst().unified()).isPresent();
    assertThat(changes.getLast().unified()).isEmpty();
    assertThat(changes.stream().flatMap(c -> c.unified().stream()).mapToLong(String::length).sum())
        .isLessThanOrEqualTo(CompareTexts.MOST_UNIFIED);
  }

  @Test
  void ofVeryManyFilesOnlySoManyAreLookedInto() {
    CompareFake a = new CompareFake();
    CompareFake b = new CompareFake();
    for (int i = 0; i < CompareTexts.MOST_READ + 2; i++) {
      b.write("/many/%05d".formatted(i), "one\ntwo\n");
    }
    a.write("/zz", "old\n");
    b.write("/zz", "new\n");
    List<Difference.FileChange> changes = CompareGuests.compare(a, b, true, true).files();
    assertThat(changes).hasSize(CompareTexts.MOST_READ + 3);
    assertThat(b.read).hasSize(CompareTexts.MOST_READ);
    assertThat(changes.getFirst().unified()).isPresent();
    Difference.FileChange unread = changes.get(CompareTexts.MOST_READ);
    assertThat(unread.unified()).isEmpty();
    assertThat(unread.linesAdded()).isEqualTo(2);
    assertThat(changes.getLast().linesAdded()).isZero();
    assertThat(changes.getLast().what()).containsExactly("content");
  }

  @Test
  void guestsOfDifferentImagesAreComparedFileByFile() {
    CompareFake other = new CompareFake().inImage("/etc/motd", "hi\n").inImage("/opt/x", "x");
    a.remove("/etc/issue");

    assertThat(CompareGuests.compare(a, other, false, false).files())
        .extracting(FileChange::path, FileChange::kind)
        .containsExactly(
            tuple("/bin", Kind.REMOVED),
            tuple("/etc", Kind.REMOVED),
            tuple("/etc/motd", Kind.CHANGED),
            tuple("/opt/x", Kind.ADDED));
    assertThat(a.described).isEmpty();
  }

  @Test
  void processesAreMatchedByNumberAndName() {
    a.run(30, "sleep").run(1, "init").run(9, "python3");
    b.run(1, "init").run(9, "sh").run(31, "sleep").run(4, "cat");

    Difference difference =
        CompareGuests.compare(a, b, true, false).with(new Difference.Pages(1, 2, 3, 4096));

    assertThat(difference.processes())
        .isEqualTo(
            new Difference.Processes(
                3, 4, List.of("9 python3", "30 sleep"), List.of("4 cat", "9 sh", "31 sleep")));
    assertThat(difference.pages().compared()).isEqualTo(2);
  }

  @Test
  void theFailureOfEitherGuestIsTheComparisons() {
    assertThatThrownBy(
            () ->
                CompareGuests.ask(
                    () -> 1,
                    () -> {
                      throw new ForkdException(ErrorCode.TIMEOUT, "b is slow");
                    }))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TIMEOUT))
        .hasMessage("b is slow");
  }

  private List<FileChange> files() {
    return CompareGuests.compare(a, b, true, false).files();
  }

  private Optional<String> unified(String path) {
    return CompareGuests.compare(a, b, true, true).files().stream()
        .filter(change -> change.path().equals(path))
        .findFirst()
        .orElseThrow()
        .unified();
  }
}
