package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Trees as tar streams, out of a guest and into it. Runs as root. */
@Timeout(120)
class TarTest extends FilesFixture {
  private Path tree;

  @BeforeEach
  void makeTree() throws IOException, InterruptedException {
    tree = Files.createDirectory(folder.resolve("tree"));
    Files.createDirectories(tree.resolve("empty"));
    Path deep = tree;
    for (int i = 0; i < 12; i++) {
      deep = Files.createDirectory(deep.resolve("folder with a long name " + i));
    }
    Files.writeString(deep.resolve("n".repeat(255)), "far down");
    Files.write(tree.resolve("data"), CobsTest.randomBytes(new Random(3), 300_001));
    Files.writeString(tree.resolve("new\nline \\ ü"), "odd");
    write(files(), tree + "/\\xff\\xfe not text", "x".repeat(512));
    Files.createSymbolicLink(tree.resolve("absolute"), Path.of("/etc/passwd"));
    Files.createSymbolicLink(tree.resolve("up"), Path.of("../../" + "x/".repeat(70) + "y"));
    Files.createLink(tree.resolve("hard"), tree.resolve("data"));
    run("mkfifo", tree.resolve("pipe").toString());
    files().change(tree.resolve("data").toString(), owned(04750, "nobody", "daemon"));
    files().change(tree.resolve("empty").toString(), owned(01777, "54321", "54322"));
    FileTime old = FileTime.from(Instant.ofEpochSecond(1_234_567_890, 987_654_000));
    Files.setLastModifiedTime(tree.resolve("data"), old);
    Files.setLastModifiedTime(
        tree.resolve("new\nline \\ ü"), FileTime.from(Instant.ofEpochSecond(-86_400)));
  }

  private static FileChange owned(int mode, String owner, String group) {
    return new FileChange(Optional.of(mode), Optional.of(owner), Optional.of(group), false);
  }

  @Test
  void aTreeComesBackAsItWas() throws IOException {
    byte[] tar = download(tree.toString());
    files().upload(at("copy/below"), new ByteArrayInputStream(tar));
    assertSameTree(tree.toString(), at("copy/below"));
    // Over what is there already.
    files().upload(at("copy/below"), new ByteArrayInputStream(tar));
    assertSameTree(tree.toString(), at("copy/below"));
    // Two archives of one tree are the same but for the order in which a folder has its entries.
    assertThat(download(at("copy/below"))).hasSameSizeAs(tar);
  }

  @Test
  void otherProgramsUnpackIt() throws IOException, InterruptedException {
    Path archive = Files.write(folder.resolve("a.tar"), download(tree.toString()));
    Path out = Files.createDirectory(folder.resolve("out"));
    run("tar", "--numeric-owner", "-xpf", archive.toString(), "-C", out.toString());
    assertSameTree(tree.toString(), out.toString());
    run(
        "python3",
        "-c",
        "import tarfile,sys; tarfile.open(sys.argv[1]).getmembers()",
        archive.toString());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gnu", "pax", "posix", "oldgnu"})
  void whatOtherProgramsPackIsUnpacked(String format) throws IOException, InterruptedException {
    Path archive = folder.resolve("a.tar");
    run("tar", "--format=" + format, "-cf", archive.toString(), "-C", tree.toString(), ".");
    try (InputStream tar = Files.newInputStream(archive)) {
      files().upload(at("out"), tar);
    }
    assertSameContent(tree.toString(), at("out"));
    assertThat(Files.isSameFile(folder.resolve("out/hard"), folder.resolve("out/data"))).isTrue();
  }

  @Test
  void ustarWithItsPrefixIsUnpacked() throws IOException, InterruptedException {
    Path deep =
        Files.createDirectories(folder.resolve("u/" + "d".repeat(90) + "/" + "e".repeat(60)));
    Files.writeString(deep.resolve("f".repeat(80)), "x");
    run("tar", "--format=ustar", "-cf", at("u.tar"), "-C", at("u"), ".");
    try (InputStream tar = Files.newInputStream(folder.resolve("u.tar"))) {
      files().upload(at("out"), tar);
    }
    assertSameContent(at("u"), at("out"));
  }

  @Test
  void whatAUserUnpacksIsTheUsers() throws IOException {
    filesOf("nobody").upload(at("mine"), new ByteArrayInputStream(download(tree.toString())));
    assertThat(files().list(folder.toString(), 30))
        .filteredOn(entry -> entry.path().startsWith(at("mine")))
        .hasSizeGreaterThan(20)
        .allSatisfy(entry -> assertThat(entry.owner()).isEqualTo("nobody"));
    assertThat(files().stat(at("mine/data")).mode()).isEqualTo(04750);
  }

  @Test
  void oneFileIsPackedByItsName() throws IOException, InterruptedException {
    Files.write(folder.resolve("a.tar"), download(tree.resolve("data").toString()));
    assertThat(run("tar", "-tf", at("a.tar"))).isEqualTo("data\n");
    assertRefused(GuestFailure.NOT_FOUND, () -> files().download(at("nothing")));
    assertRefused(GuestFailure.UNFIT, () -> files().download("/dev/null"));
  }

  @Test
  void nothingLeavesTheFolder() throws IOException {
    Path outside = Files.createDirectory(folder.resolve("outside"));
    Files.writeString(outside.resolve("victim"), "untouched");
    for (String script :
        List.of(
            "f('../outside/new')",
            "f('a/../../outside/new')",
            "f('..')",
            "f('" + outside + "/new')",
            "l('s', '../outside'); f('s/new')",
            "l('s', '" + outside + "'); f('s/new')",
            "l('s', '../outside'); d('s/sub')",
            "l('s', '../outside'); d('s')",
            "d('in'); l('in/s', '../../outside'); l('t', 'in/s'); f('t/new')",
            "l('s', '../outside'); l('s/link', 'x')",
            "h('new', '../outside/victim')",
            "h('new', '" + outside + "/victim')",
            "l('s', '../outside'); h('new', 's/victim')",
            "l('s', 'nowhere'); f('s/new')",
            "l('/abs', 'x')",
            "d('../outside/new')")) {
      byte[] tar = archive(script);
      assertThatThrownBy(() -> files().upload(at("in"), new ByteArrayInputStream(tar)))
          .as(script)
          .isInstanceOfSatisfying(
              GuestRefusal.class, it -> assertThat(it.why()).isEqualTo(GuestFailure.UNFIT));
      assertThat(outside).isDirectoryContaining(it -> it.endsWith("victim"));
      assertThat(files().list(outside.toString(), 5)).as(script).hasSize(1);
      assertThat(Files.readString(outside.resolve("victim"))).isEqualTo("untouched");
      files().remove(at("in"));
    }
  }

  @Test
  void aLinkIsReplacedAndNotWrittenThrough() throws IOException {
    Files.writeString(folder.resolve("victim"), "untouched");
    Files.createDirectory(folder.resolve("in"));
    Files.createSymbolicLink(folder.resolve("in/s"), folder.resolve("victim"));
    files().upload(at("in"), new ByteArrayInputStream(archive("f('s')")));
    assertThat(Files.readString(folder.resolve("victim"))).isEqualTo("untouched");
    assertThat(Files.isRegularFile(folder.resolve("in/s"))).isTrue();
    assertThat(Files.isSymbolicLink(folder.resolve("in/s"))).isFalse();
  }

  @Test
  void linksThatStayInsideAreFollowed() throws IOException {
    String script = "d('real'); l('link', 'real'); f('link/f'); d('link'); h('hard', 'link/f')";
    files().upload(at("in"), new ByteArrayInputStream(archive(script)));
    assertThat(folder.resolve("in/real/f")).exists();
    assertThat(Files.isSymbolicLink(folder.resolve("in/link"))).isTrue();
    assertThat(Files.isSameFile(folder.resolve("in/hard"), folder.resolve("in/real/f"))).isTrue();
  }

  @Test
  void brokenArchivesAreRefusedWhereverTheyBreak() throws IOException {
    byte[] tar = download(tree.toString());
    for (int length : new int[] {1, 100, 511, 513, 1023, 1500, 200_001, tar.length - 1025}) {
      byte[] cut = Arrays.copyOf(tar, length);
      assertRefused(
          GuestFailure.UNFIT, () -> files().upload(at("in"), new ByteArrayInputStream(cut)));
    }
    byte[] garbled = tar.clone();
    garbled[3] ^= 1;
    assertRefused(
        GuestFailure.UNFIT, () -> files().upload(at("in"), new ByteArrayInputStream(garbled)));
    files().upload(at("none"), new ByteArrayInputStream(new byte[0]));
    files().upload(at("none"), new ByteArrayInputStream(new byte[1024]));
    assertThat(folder.resolve("none")).isEmptyDirectory();
    Files.createFile(folder.resolve("file"));
    assertRefused(
        GuestFailure.NOT_A_FOLDER, () -> files().upload(at("file"), new ByteArrayInputStream(tar)));
  }

  @Test
  void whateverAnArchiveHoldsTheAgentServesOn() throws IOException {
    byte[] tar = archive("d('d'); f('d/" + "n".repeat(150) + "'); l('l', 'd'); h('h', 'l/x')");
    Random random = new Random(9);
    for (int i = 0; i < 300; i++) {
      byte[] mutated = tar.clone();
      for (int j = 0; j < 3; j++) {
        mutated[random.nextInt(tar.length)] = (byte) random.nextInt(256);
      }
      fixChecksums(mutated);
      try {
        files().upload(at("in"), new ByteArrayInputStream(mutated));
      } catch (GuestRefusal e) {
        assertThat(e.why()).isNotNull();
      }
    }
    assertThat(files().list(folder.toString(), 1))
        .extracting(FileEntry::name)
        .containsOnly("tree", "in");
  }

  /** So that what follows a header is looked at, and not the checksum alone. */
  private static void fixChecksums(byte[] tar) {
    for (int at = 0; at + 512 <= tar.length; at += 512) {
      if (tar[at + 257] != 'u' || tar[at + 258] != 's') {
        continue;
      }
      int sum = 8 * ' ';
      for (int i = 0; i < 512; i++) {
        sum += i >= 148 && i < 156 ? 0 : tar[at + i] & 0xff;
      }
      byte[] text = "%06o\0 ".formatted(sum).getBytes(StandardCharsets.US_ASCII);
      System.arraycopy(text, 0, tar, at + 148, 8);
    }
  }

  private static byte[] download(String path) throws IOException {
    try (FileContent content = files().download(path)) {
      assertThat(content.length()).isEmpty();
      return content.stream().readAllBytes();
    }
  }

  /**
   * An archive that Python makes: f(name) a file, d(name) a folder, l and h(name, target) links.
   */
  private static byte[] archive(String script) throws IOException {
    String python =
        """
        import io, sys, tarfile
        out = io.BytesIO()
        tar = tarfile.open(fileobj=out, mode='w', format=tarfile.PAX_FORMAT)
        def add(name, kind, link='', data=b''):
            info = tarfile.TarInfo(name)
            info.type, info.linkname, info.size, info.mode = kind, link, len(data), 0o755
            tar.addfile(info, io.BytesIO(data))
        def f(name): add(name, tarfile.REGTYPE, data=b'hostile')
        def d(name): add(name, tarfile.DIRTYPE)
        def l(name, target): add(name, tarfile.SYMTYPE, target)
        def h(name, target): add(name, tarfile.LNKTYPE, target)
        exec(sys.argv[1])
        tar.close()
        sys.stdout.buffer.write(out.getvalue())
        """;
    Process process = new ProcessBuilder("python3", "-c", python, script).start();
    return process.getInputStream().readAllBytes();
  }

  private static String run(String... command) throws IOException, InterruptedException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    ByteArrayOutputStream said = new ByteArrayOutputStream();
    process.getInputStream().transferTo(said);
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).as(said.toString(StandardCharsets.UTF_8)).isZero();
    return said.toString(StandardCharsets.UTF_8);
  }

  private static void assertSameTree(String one, String other) throws IOException {
    assertSameContent(one, other);
    List<FileEntry> copies = files().list(other, 30);
    List<FileEntry> originals = files().list(one, 30);
    for (int i = 0; i < originals.size(); i++) {
      FileEntry original = originals.get(i);
      FileEntry copy = copies.get(i);
      assertThat(copy.mode()).as(copy.path()).isEqualTo(original.mode());
      assertThat(copy.owner()).as(copy.path()).isEqualTo(original.owner());
      assertThat(copy.group()).as(copy.path()).isEqualTo(original.group());
      if (original.type() == FileEntry.Type.FILE) {
        assertThat(copy.modified()).as(copy.path()).isEqualTo(original.modified());
      }
    }
  }

  private static void assertSameContent(String one, String other) throws IOException {
    List<FileEntry> copies = files().list(other, 30);
    List<FileEntry> originals = files().list(one, 30);
    assertThat(copies).hasSameSizeAs(originals);
    for (int i = 0; i < originals.size(); i++) {
      FileEntry original = originals.get(i);
      FileEntry copy = copies.get(i);
      assertThat(copy.path().substring(other.length()))
          .isEqualTo(original.path().substring(one.length()));
      assertThat(copy.type()).isEqualTo(original.type());
      assertThat(copy.size()).isEqualTo(original.size());
      assertThat(copy.symlinkTarget()).isEqualTo(original.symlinkTarget());
      if (original.type() == FileEntry.Type.FILE) {
        assertThat(read(files(), copy.path())).isEqualTo(read(files(), original.path()));
      }
    }
  }
}
