package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class UnpackingTest {
  private static final String LONG = "n".repeat(180);

  @TempDir Path folder = Path.of("/");
  private Path from = folder;
  private Path to = folder;

  @BeforeEach
  void folders() throws IOException {
    from = Files.createDirectory(folder.resolve("from"));
    to = folder.resolve("to");
  }

  private byte[] pack(String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("tar", "-C", from.toString(), "-cf", "-"));
    command.addAll(Arrays.asList(words));
    Process tar =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    byte[] archive = tar.getInputStream().readAllBytes();
    assertThat(tar.waitFor(30, TimeUnit.SECONDS)).isTrue();
    return archive;
  }

  private List<String> unpack(byte[] archive) throws IOException {
    return new Unpacking(to).unpack(new ByteArrayInputStream(archive));
  }

  @ParameterizedTest
  @ValueSource(strings = {"--format=pax", "--format=gnu"})
  void aTreeComesOutAsItWentIn(String format) throws Exception {
    byte[] large = new byte[1_000_003];
    new Random(1).nextBytes(large);
    Path deep = Files.createDirectories(from.resolve("a").resolve(LONG).resolve(LONG));
    Files.write(deep.resolve("large"), large);
    Files.createSymbolicLink(from.resolve("link"), Path.of("a/" + LONG));
    Path script = Files.writeString(from.resolve("größe.sh"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-x---"));
    Files.createLink(from.resolve("same"), script);
    Files.createFile(from.resolve("empty"));
    Files.setPosixFilePermissions(from.resolve("a"), PosixFilePermissions.fromString("r-xr-xr-x"));
    assertThat(unpack(pack(format, "."))).isEmpty();
    Files.setPosixFilePermissions(from.resolve("a"), PosixFilePermissions.fromString("rwxr-xr-x"));
    Path place = to.resolve("a").resolve(LONG).resolve(LONG).resolve("large");
    assertThat(Files.readAllBytes(place)).isEqualTo(large);
    assertThat(Files.readSymbolicLink(to.resolve("link"))).isEqualTo(Path.of("a/" + LONG));
    assertThat(to.resolve("same")).hasContent("#!/bin/sh");
    assertThat(to.resolve("empty")).isEmptyFile();
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(to.resolve("größe.sh"))))
        .isEqualTo("rwxr-x---");
    assertThat(Files.getLastModifiedTime(place).toMillis() / 1000)
        .isEqualTo(Files.getLastModifiedTime(deep.resolve("large")).toMillis() / 1000);
    Files.setPosixFilePermissions(to.resolve("a"), PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  @Test
  void nothingIsMadeOutsideTheFolder() throws Exception {
    Files.writeString(from.resolve("evil"), "x");
    byte[] archive = pack("--transform=s,evil,../outside,", "-P", "evil");
    assertThatThrownBy(() -> unpack(archive)).hasMessageContaining("outside the folder");
    assertThat(folder.resolve("outside")).doesNotExist();
    unpack(pack("--transform=s,evil,/" + folder.getFileName() + "-absolute,", "-P", "evil"));
    assertThat(to.resolve(folder.getFileName() + "-absolute")).exists();
  }

  @Test
  void nothingIsWrittenThroughALink() throws Exception {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.createSymbolicLink(from.resolve("door"), outside);
    Files.createDirectory(from.resolve("x"));
    Files.writeString(from.resolve("x/file"), "x");
    byte[] archive = pack("--transform=s,^x/,door/,", "door", "x/file");
    assertThatThrownBy(() -> unpack(archive)).hasMessageContaining("in the way");
    assertThat(outside).isEmptyDirectory();
  }

  @Test
  void aFileReplacesALinkAndNotWhatItPointsTo() throws Exception {
    Path precious = Files.writeString(folder.resolve("precious"), "precious");
    Files.createDirectory(to);
    Files.createSymbolicLink(to.resolve("f"), precious);
    Files.writeString(from.resolve("f"), "new");
    unpack(pack("f"));
    assertThat(precious).hasContent("precious");
    assertThat(to.resolve("f")).hasContent("new");
  }

  @Test
  void whatIsNeitherFileNorFolderNorLinkIsLeftOut() throws Exception {
    Process made = new ProcessBuilder("mkfifo", from.resolve("pipe").toString()).start();
    assertThat(made.waitFor(30, TimeUnit.SECONDS)).isTrue();
    Files.writeString(from.resolve("f"), "x");
    assertThat(unpack(pack("pipe", "f"))).containsExactly("pipe");
    assertThat(to.resolve("pipe")).doesNotExist();
    assertThat(to.resolve("f")).exists();
  }

  @Test
  void nonsenseAndHalfAnArchiveAreRefused() throws Exception {
    byte[] nonsense = "x".repeat(2000).getBytes(UTF_8);
    assertThatThrownBy(() -> unpack(nonsense)).hasMessageContaining("no tar archive");
    Files.write(from.resolve("f"), new byte[5000]);
    byte[] half = Arrays.copyOf(pack("f"), 3000);
    assertThatThrownBy(() -> unpack(half)).hasMessageContaining("in the middle");
    Random random = new Random(2);
    byte[] whole = pack("--format=pax", "f");
    for (int i = 0; i < 2000; i++) {
      byte[] spoiled = whole.clone();
      spoiled[random.nextInt(1024)] = (byte) random.nextInt();
      readAll(spoiled);
    }
  }

  /** Whatever comes: an end or an IOException, and nothing else. */
  private static void readAll(byte[] archive) {
    try {
      TarReader tar = new TarReader(new ByteArrayInputStream(archive));
      int entries = 0;
      while (tar.next().isPresent()) {
        entries++;
      }
      assertThat(entries).isLessThan(20);
    } catch (IOException e) {
      assertThat(e).isNotNull();
    }
  }
}
