package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Memfd;
import io.forkd.linux.ProcStat;
import io.forkd.linux.Spawn;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a QEMU that does not start: shell scripts play it. */
@Timeout(30)
class QemuProcessTest {
  @TempDir Path temp;
  private final Memfd file = Memfd.create("forkd-test", 4096);
  private VmSite site;

  @BeforeEach
  void makeSite() throws Exception {
    Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwx--x--x"));
    site = site(Files.createDirectory(temp.resolve("site")));
  }

  private static VmSite site(Path dir) throws Exception {
    Path scratch = Files.createDirectories(dir.resolve("vmm"));
    return new VmSite("forkd-test", dir, scratch, Optional.empty());
  }

  @AfterEach
  void closeFile() {
    file.close();
  }

  private QemuVmm qemu(String script) throws Exception {
    Path program = Files.writeString(temp.resolve("qemu"), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return qemuAt(program);
  }

  private static QemuVmm qemuAt(Path program) {
    return QemuVmm.of(
        new QemuBinary(program, "QEMU emulator version 7.2.22"),
        "x86_64",
        false,
        OptionalLong.empty(),
        64);
  }

  private RestoreSpec spec(VmSite where) {
    return new RestoreSpec(
        where,
        new GuestShape(128, 1),
        file.fd(),
        file.fd(),
        file.fd(),
        Overlay.NONE,
        Optional.empty(),
        false);
  }

  private static void assertFails(ThrowingCallable call, ErrorCode code, String... said) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(ForkdException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(said);
  }

  private long pidOfScript() throws Exception {
    return Long.parseLong(Files.readString(site.scratch().resolve("pid")).strip());
  }

  @Test
  void aQemuThatExitsAtOnceFailsWithItsLastWords() throws Exception {
    QemuVmm vmm =
        qemu("echo $$ > pid; echo 'qemu: -accel kvm: no such thing' >&2; echo bye; exit 1");
    assertFails(
        () -> vmm.restore(spec(site)),
        ErrorCode.GUEST_FAILED,
        "QEMU said: ",
        "qemu: -accel kvm: no such thing | bye");
    assertThat(ProcStat.of(pidOfScript())).isEmpty();
  }

  @Test
  void aQemuWithoutItsMonitorIsEndedBeforeTheFailureIsReported() throws Exception {
    QemuVmm vmm = qemu("echo $$ > pid; exec 3<&-; exec sleep 1000");
    assertFails(() -> vmm.restore(spec(site)), ErrorCode.GUEST_FAILED, "QEMU");
    assertThat(ProcStat.of(pidOfScript())).as("the process is gone, not only told to go").isEmpty();
  }

  @Test
  void theLastWordsAreShortHoweverMuchQemuSaid() throws Exception {
    QemuVmm vmm = qemu("head -c 20000000 /dev/zero | tr '\\0' x >&2; echo >&2; echo last >&2");
    assertThatThrownBy(() -> vmm.restore(spec(site)))
        .hasMessageContaining("last")
        .satisfies(e -> assertThat(e.getMessage()).hasSizeLessThan(6000));
  }

  @Test
  void lastWordsThatAreNoTextAreStillReported() throws Exception {
    QemuVmm vmm = qemu("printf 'bad \\377\\376 device' >&2; exit 1");
    assertFails(() -> vmm.restore(spec(site)), ErrorCode.GUEST_FAILED, "bad ", " device");
  }

  @Test
  void thatANicHasNoWireIsNoLastWord() throws Exception {
    QemuVmm vmm =
        qemu("echo 'qemu: warning: nic virtio-net-device.0 has no peer' >&2; echo why >&2; exit 1");
    assertThatThrownBy(() -> vmm.restore(spec(site))).hasMessageEndingWith("QEMU said: why");
  }

  @Test
  void aWireIsHandedOverWhenThereIsOne() throws Exception {
    QemuVmm vmm = qemu("ls /proc/$$/fd; exit 1");
    RestoreSpec wired =
        new RestoreSpec(
            site,
            new GuestShape(128, 1),
            file.fd(),
            file.fd(),
            file.fd(),
            Overlay.NONE,
            Optional.of(file.fd()),
            false);
    assertThatThrownBy(() -> vmm.restore(wired)).isInstanceOf(ForkdException.class);
    assertThat(Files.readAllLines(site.log())).contains("11");
  }

  @Test
  void aSilentQemuFailsWithoutInventedWords() throws Exception {
    QemuVmm vmm = qemu("exit 3");
    assertThatThrownBy(() -> vmm.restore(spec(site)))
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("QEMU said"));
  }

  @Test
  void aProgramThatCannotBeStartedIsNamed() {
    Path missing = temp.resolve("missing");
    assertFails(
        () -> qemuAt(missing).restore(spec(site)),
        ErrorCode.HOST_FAILED,
        missing.toString(),
        "ENOENT");
  }

  @Test
  void aRunFolderTooLongForSocketsIsExplained() throws Exception {
    VmSite deep = site(Files.createDirectories(temp.resolve("long/".repeat(30))));
    QemuVmm vmm = qemu("exit 1");
    assertFails(() -> vmm.restore(spec(deep)), ErrorCode.HOST_FAILED, "use a shorter run folder");
  }

  @Test
  void aChildGetsItsDescriptorsAndNothingElseOfOurs() throws Exception {
    // No pipe: the shell would have its ends open for a moment.
    QemuVmm vmm = qemu("env; pwd; echo open:; ls /proc/$$/fd; exit 1");
    assertThatThrownBy(() -> vmm.restore(spec(site))).isInstanceOf(ForkdException.class);
    List<String> log = Files.readAllLines(site.log());
    assertThat(log).contains("PATH=/usr/bin:/bin", "LC_ALL=C", site.scratch().toString());
    assertThat(log).noneMatch(line -> line.startsWith("HOME=") || line.startsWith("JAVA"));
    // The shell has its script open as one more, at 10 or 255.
    assertThat(log.subList(log.indexOf("open:") + 1, log.size()))
        .filteredOn(number -> number.length() == 1)
        .containsExactly("0", "1", "2", "3", "4", "5", "6", "9");
  }

  @Test
  void aParentGetsKernelAndInitrdToo() throws Exception {
    Path kernel = Files.writeString(temp.resolve("kernel"), "the kernel");
    Path initrd = Files.writeString(temp.resolve("initrd"), "the initrd");
    QemuVmm vmm = qemu("cat <&7; echo; cat <&8; echo; exit 1");
    BootSpec spec =
        new BootSpec(
            site,
            new GuestShape(128, 1),
            kernel,
            initrd,
            "quiet",
            file.fd(),
            file.fd(),
            Optional.empty());
    assertFails(() -> vmm.boot(spec), ErrorCode.GUEST_FAILED, "the kernel | the initrd");
  }

  @Test
  void runsAsItsSlotsUserWithoutAnyPrivilege() throws Exception {
    int uid = 1_879_048_192 + 77;
    Files.setAttribute(site.scratch(), "unix:uid", uid);
    VmSite owned =
        new VmSite(
            site.name(),
            site.dir(),
            site.scratch(),
            Optional.of(new Spawn.Identity(uid, uid, List.of())));
    QemuVmm vmm = qemu("grep -E '^(Uid|Gid|Groups|CapEff|CapBnd|NoNewPrivs)' /proc/$$/status");
    assertThatThrownBy(() -> vmm.restore(spec(owned))).isInstanceOf(ForkdException.class);
    assertThat(Files.readAllLines(site.log()))
        .contains(
            "Uid:\t%1$d\t%1$d\t%1$d\t%1$d".formatted(uid),
            "Gid:\t%1$d\t%1$d\t%1$d\t%1$d".formatted(uid),
            "Groups:\t ",
            "CapEff:\t0000000000000000",
            "CapBnd:\t0000000000000000",
            "NoNewPrivs:\t1");
  }

  @Test
  void aProcessThatHasEndedIsNotAdopted() throws Exception {
    QemuVmm vmm = qemu("echo $$ > pid; exit 1");
    assertThatThrownBy(() -> vmm.restore(spec(site))).isInstanceOf(ForkdException.class);
    assertFails(() -> vmm.adopt(site, pidOfScript(), 1), ErrorCode.GUEST_FAILED, "has ended");
  }

  @Test
  void saysWhatASnapshotNeedsToBeRestored() throws Exception {
    assertThat(qemu("").info())
        .isEqualTo(new VmmInfo("qemu", "7.2.22", "x86_64", "q35/tcg/2", "max", 0))
        .extracting(VmmInfo::summary)
        .isEqualTo("qemu 7.2.22 q35/tcg");
  }

  @Test
  void asksAProgramForItsVersionAndDoesNotWaitForOneThatHangs() throws Exception {
    qemu("echo QEMU emulator version 9.8.7; echo Copyright");
    assertThat(QemuBinary.askVersion(temp.resolve("qemu"), Duration.ofSeconds(20)))
        .isEqualTo("QEMU emulator version 9.8.7");
    qemu("exec sleep 1000");
    assertFails(
        () -> QemuBinary.askVersion(temp.resolve("qemu"), Duration.ofMillis(200)),
        ErrorCode.HOST_FAILED,
        "did not end");
  }
}
