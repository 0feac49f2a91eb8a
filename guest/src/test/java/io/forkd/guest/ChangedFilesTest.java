package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent tells of the files that were written in its guest. */
@Timeout(300)
class ChangedFilesTest {
  private HostAgent host;
  private Agent agent;

  @BeforeEach
  void start() {
    host = HostAgent.isolated(1);
    agent = host.connect();
  }

  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    host.assertCleanExit();
    host.close();
  }

  @Test
  void tellsEveryKindOfEntryOfTheUpperLayer() throws IOException {
    Path file = Files.writeString(host.upper().resolve("notes"), "one\ntwo");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    Path folder = Files.createDirectory(host.upper().resolve("folder"));
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
    Files.write(folder.resolve("binary"), new byte[] {1, 0, 2});
    Files.createSymbolicLink(folder.resolve("link"), Path.of("../nowhere"));
    sh("mkfifo -m 600 %s/pipe; mknod %s/gone c 0 0".formatted(host.upper(), host.upper()));

    Map<String, GuestEntry> told = changed();

    assertThat(told.keySet())
        .containsExactlyInAnyOrder(
            "/", "/notes", "/folder", "/folder/binary", "/folder/link", "/pipe", "/gone");
    assertThat(at(told, "/notes"))
        .isEqualTo(
            new GuestEntry(
                "/notes",
                GuestEntry.Type.FILE,
                0640,
                0,
                0,
                7,
                OptionalInt.of(2),
                Optional.of(Digests.sha256("one\ntwo".getBytes(StandardCharsets.UTF_8))),
                Optional.empty(),
                false));
    assertThat(at(told, "/folder").type()).isEqualTo(GuestEntry.Type.DIRECTORY);
    assertThat(at(told, "/folder").mode()).isEqualTo(0700);
    assertThat(at(told, "/folder/binary").lines()).isEmpty();
    assertThat(at(told, "/folder/link").target()).contains("../nowhere");
    assertThat(at(told, "/pipe").type()).isEqualTo(GuestEntry.Type.FIFO);
    assertThat(at(told, "/gone").type()).isEqualTo(GuestEntry.Type.REMOVED);
  }

  @Test
  void namesAllThatIsHiddenOfTheImage() throws IOException {
    for (String folder : List.of("removed/sub", "remade/sub", "replaced/sub", "kept/sub")) {
      Path below = Files.createDirectories(host.lower().resolve(folder));
      Files.writeString(below.resolve("file"), "x");
    }
    sh("mknod %s/removed c 0 0".formatted(host.upper()));
    Files.writeString(host.upper().resolve("replaced"), "a file where a folder was");
    Files.createDirectories(host.upper().resolve("kept/sub"));
    Path remade = Files.createDirectory(host.upper().resolve("remade"));
    Files.writeString(remade.resolve("new"), "x");
    Files.setAttribute(remade, "user:overlay.opaque", new byte[] {'y'});

    Map<String, GuestEntry> told = changed();

    assertThat(pathsOf(told, GuestEntry.Type.REMOVED))
        .containsExactly(
            "/remade/sub",
            "/remade/sub/file",
            "/removed",
            "/removed/sub",
            "/removed/sub/file",
            "/replaced/sub",
            "/replaced/sub/file");
    assertThat(at(told, "/remade").opaque()).isTrue();
    assertThat(at(told, "/kept").opaque()).isFalse();
    assertThat(told).containsKeys("/replaced", "/remade/new", "/kept/sub").hasSize(13);
  }

  @Test
  void namesWhatAnOpaqueFolderHidesBesideWhatItHasOfTheSameName() throws IOException {
    for (String file : List.of("top/sub/old", "top/sub/both", "top/other/old")) {
      Path below = host.lower().resolve(file);
      Files.createDirectories(below.getParent());
      Files.writeString(below, "x");
    }
    Path sub = Files.createDirectories(host.upper().resolve("top/sub"));
    Files.writeString(sub.resolve("both"), "y");
    Files.setAttribute(host.upper().resolve("top"), "user:overlay.opaque", new byte[] {'y'});

    assertThat(pathsOf(changed(), GuestEntry.Type.REMOVED))
        .containsExactly("/top/other", "/top/other/old", "/top/sub/old");
  }

  @Test
  void leavesOutWhatIsForkdsOwn() throws IOException {
    for (String file :
        List.of("etc/hostname", "etc/hosts", "etc/machine-id", "etc/motd", "run/forkd/python.py")) {
      Path path = host.upper().resolve(file);
      Files.createDirectories(path.getParent());
      Files.writeString(path, "x");
    }
    assertThat(changed().keySet()).containsExactlyInAnyOrder("/", "/etc", "/etc/motd", "/run");
  }

  @Test
  void carriesNamesOfAnyBytesBothWays() {
    sh(
        """
        cd %s && for name in 'new\\nline' '\\377\\376' 'back\\\\slash' 'h\\303\\251llo' '\\033[31m'; do
          printf hello > "$(printf "$name.")"
        done"""
            .formatted(host.root()));
    List<String> names =
        List.of("new\\x0aline", "\\xff\\xfe", "back\\\\slash", "héllo", "\\x1b[31m");
    List<String> paths = names.stream().map(name -> "/" + name + ".").toList();

    assertThat(agent.allFiles(PATIENCE)).extracting(GuestEntry::path).containsAll(paths);
    assertThat(agent.describe(paths, PATIENCE)).extracting(GuestEntry::path).isEqualTo(paths);
    for (String path : paths) {
      assertThat(agent.readFile(path, 100, PATIENCE)).asString().isEqualTo("hello");
    }
  }

  @Test
  void looksIntoTmpfsAndNoOtherMountAndNotBelowThem() throws IOException {
    sh(
        """
        cd %s && mkdir -p run other upper-run && touch run/hidden other/hidden
        mount -t tmpfs none run && mkdir run/sub && echo seen > run/sub/file && mknod run/null c 0 0
        mount --bind /usr/lib other"""
            .formatted(host.root()));
    Files.createDirectories(host.upper().resolve("run/below"));
    Files.createDirectories(host.upper().resolve("other/below"));

    Map<String, GuestEntry> told = changed();

    assertThat(told.keySet())
        .contains("/run", "/run/sub/file", "/run/null")
        .doesNotContain("/run/below", "/run/hidden", "/other", "/other/below", "/other/hidden");
    assertThat(at(told, "/run/sub/file").lines()).hasValue(1);
    // Removed only means something in an overlay; here it is a device like any other.
    assertThat(at(told, "/run/null").type()).isEqualTo(GuestEntry.Type.CHAR_DEVICE);
    assertThat(at(told, "/run/null").target()).contains("0:0");
    assertThat(agent.allFiles(PATIENCE))
        .extracting(GuestEntry::path)
        .contains("/etc", "/run/sub/file")
        .doesNotContain("/run/hidden", "/other");
  }

  @Test
  void bearsFilesThatComeAndGoUnderTheWalk() {
    String churn =
        """
        cd %s && (while :; do
          mkdir -p a/b; echo x > a/b/f; ln -s f a/b/l; rm -rf a; echo x > a; rm a
        done) >/dev/null 2>&1 & echo $!"""
            .formatted(host.upper());
    String pid = sh(churn).strip();
    for (int i = 0; i < 30; i++) {
      assertThat(changed()).containsKey("/");
    }
    sh("kill " + pid);
  }

  @Test
  void walksAsDeepAsAPathCanBeAndSaysWhenItIsDeeper() {
    nest("d", 1500);
    assertThat(agent.changedFiles(PATIENCE)).hasSize(1501);
    nest("n".repeat(200), 25);
    assertThatThrownBy(() -> agent.changedFiles(PATIENCE))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("too long");
    sh("rm -rf %s/*".formatted(host.upper()));
  }

  private void nest(String name, int depth) {
    String code =
        "import os; os.chdir('%s')\nfor i in range(%d): os.mkdir('%s'); os.chdir('%s')"
            .formatted(host.upper(), depth, name, name);
    ExecRequest python = ExecRequest.of(List.of("python3", "-c", code), PATIENCE);
    assertThat(agent.exec(python).exitCode()).isZero();
  }

  private Map<String, GuestEntry> changed() {
    return agent.changedFiles(PATIENCE).stream()
        .collect(Collectors.toMap(GuestEntry::path, Function.identity()));
  }

  private static GuestEntry at(Map<String, GuestEntry> entries, String path) {
    return requireNonNull(entries.get(path), path);
  }

  private static List<String> pathsOf(Map<String, GuestEntry> entries, GuestEntry.Type type) {
    return entries.values().stream()
        .filter(entry -> entry.type() == type)
        .map(GuestEntry::path)
        .sorted()
        .toList();
  }

  private String sh(String command) {
    ExecResult result = agent.exec(ExecRequest.of(List.of("sh", "-c", command), PATIENCE));
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout();
  }
}
