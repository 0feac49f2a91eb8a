package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FoldersTest {
  @TempDir Path temp;

  @Test
  void aFolderGoesWithAllThatIsInIt() throws IOException {
    Path root = temp.resolve("root");
    Files.createDirectories(root.resolve("a/b/c"));
    Files.createDirectories(root.resolve("empty"));
    Files.writeString(root.resolve("a/b/file"), "x");
    Files.writeString(root.resolve(".hidden"), "x");
    Folders.deleteIfThere(root);
    assertThat(temp).isEmptyDirectory();
  }

  @Test
  void aLinkIsRemovedAndWhatItPointsToIsNot() throws IOException {
    Path outside = Files.createDirectories(temp.resolve("outside"));
    Files.writeString(outside.resolve("precious"), "x");
    Path root = Files.createDirectories(temp.resolve("root"));
    Files.createSymbolicLink(root.resolve("to-folder"), outside);
    Files.createSymbolicLink(root.resolve("to-file"), outside.resolve("precious"));
    Files.createSymbolicLink(root.resolve("to-nothing"), temp.resolve("nothing"));
    Folders.deleteIfThere(root);
    assertThat(root).doesNotExist();
    assertThat(outside.resolve("precious")).hasContent("x");
  }

  @Test
  void aFolderThatIsItselfALinkLosesOnlyTheLink() throws IOException {
    Path outside = Files.createDirectories(temp.resolve("outside"));
    Files.writeString(outside.resolve("precious"), "x");
    Path link = Files.createSymbolicLink(temp.resolve("link"), outside);
    Folders.deleteIfThere(link);
    assertThat(link).doesNotExist();
    assertThat(outside.resolve("precious")).exists();
  }

  @Test
  void aSingleFileGoesToo() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "x");
    Folders.deleteIfThere(file);
    assertThat(file).doesNotExist();
  }

  @Test
  void whatIsNotThereIsFine() {
    assertThatCode(() -> Folders.deleteIfThere(temp.resolve("nothing"))).doesNotThrowAnyException();
  }
}
