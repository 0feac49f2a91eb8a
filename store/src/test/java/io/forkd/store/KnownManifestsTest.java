package io.forkd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownManifestsTest {
  private static final Manifest MANIFEST =
      Samples.imagined(
          Samples.TAG.value(), 1, Optional.empty(), Optional.empty(), Optional.empty());

  @TempDir Path temp;
  private final KnownManifests known = new KnownManifests();
  private Path dir;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    dir = Files.createDirectory(temp.resolve(Samples.TAG.value()));
    ManifestFile.write(dir, MANIFEST);
    file = dir.resolve(ManifestFile.NAME);
  }

  private Manifest read() {
    return known.read(Samples.TAG, dir);
  }

  @Test
  void whatHasNotChangedIsReadOnce() {
    assertThat(read()).isEqualTo(MANIFEST).isSameAs(read());
  }

  @Test
  void aChangeIsSeenAlsoWhenSizeAndTimeArePutBack() throws IOException {
    read();
    FileTime time = Files.getLastModifiedTime(file);
    String text = Files.readString(file);
    Files.writeString(file, text.replace("\"format\"", "\"tamrof\""));
    Files.setLastModifiedTime(file, time);
    assertThatThrownBy(this::read).isInstanceOf(ForkdException.class);
    Files.writeString(file, text);
    assertThat(read()).isEqualTo(MANIFEST);
  }

  @Test
  void whatIsGoneIsMissing() throws IOException {
    read();
    Files.delete(file);
    assertThatThrownBy(this::read).hasMessageContaining("is missing");
  }

  @Test
  void whatIsNoLongerThereIsForgotten() {
    Manifest first = read();
    known.keepOnly(List.of(Samples.TAG));
    assertThat(read()).isSameAs(first);
    known.keepOnly(List.of(Tag.of("another")));
    assertThat(read()).isEqualTo(first).isNotSameAs(first);
  }
}
