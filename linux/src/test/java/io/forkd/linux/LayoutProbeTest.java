package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds every number copied from a C header to what that architecture's compiler says it is. */
@Timeout(120)
class LayoutProbeTest {
  private static final String HEADERS =
      """
      #define _GNU_SOURCE
      #include <errno.h>
      #include <fcntl.h>
      #include <linux/auxvec.h>
      #include <linux/if_tun.h>
      #include <linux/mman.h>
      #include <linux/perf_event.h>
      #include <linux/stat.h>
      #include <linux/userfaultfd.h>
      #include <net/if.h>
      #include <poll.h>
      #include <sched.h>
      #include <signal.h>
      #include <spawn.h>
      #include <stddef.h>
      #include <stdio.h>
      #include <sys/epoll.h>
      #include <sys/ioctl.h>
      #include <sys/mman.h>
      #include <sys/mount.h>
      #include <sys/ptrace.h>
      #include <sys/user.h>
      #include <sys/syscall.h>
      #include <sys/uio.h>
      #include <sys/vfs.h>
      #include <sys/wait.h>
      #include <unistd.h>
      #include <linux/fs.h>
      """;

  /** Words of the same meaning that sys/user.h spells per architecture. */
  private static final Map<Arch, String> PROGRAM_COUNTER =
      Map.of(Arch.X86_64, "rip", Arch.AARCH64, "pc");

  @TempDir Path folder;

  private final Map<String, Long> expected = new LinkedHashMap<>();

  /** The other architecture is held to its headers too where a compiler for it is installed. */
  @ParameterizedTest
  @EnumSource(Arch.class)
  void theNumbersInThisModuleAreThoseOfTheHeaders(Arch arch) throws Exception {
    files(arch);
    processes(arch);
    namespaces();
    devices();
    for (Errno errno : Errno.values()) {
      if (errno != Errno.UNKNOWN) {
        expected.put(errno.name(), (long) errno.number());
      }
    }
    for (Signal signal : Signal.values()) {
      expected.put("SIG" + signal.name(), (long) signal.number());
    }
    Optional<Path> compiler = compiler(arch);
    if (compiler.isPresent()) {
      assertThat(complaints(compiler.get())).isEmpty();
    } else {
      assertThat(expected).isNotEmpty(); // a machine without a compiler cannot say more
    }
    System.out.printf(
        "%d numbers of %s: %s%n",
        expected.size(),
        arch,
        compiler.map("held to the headers of %s"::formatted).orElse("no compiler to ask"));
  }

  private static Optional<Path> compiler(Arch arch) {
    String cross = arch.name().toLowerCase(Locale.ROOT) + "-linux-gnu-gcc";
    return Spawn.find(arch == Arch.host() ? "gcc" : cross);
  }

  private void files(Arch arch) {
    int unnamed = OpenFlag.TEMPORARY.bits & ~Arch.host().openDirectory;
    expected.put("O_DIRECTORY", (long) arch.openDirectory);
    expected.put("O_NOFOLLOW", (long) arch.openNoFollow);
    expected.put("O_CLOEXEC", (long) OpenFlag.CLOEXEC);
    expected.put("O_PATH", (long) OpenFlag.PATH.bits);
    expected.put("O_TMPFILE", (long) (unnamed | arch.openDirectory));
    expected.put("O_CREAT", (long) OpenFlag.CREATE.bits);
    expected.put("O_APPEND", (long) OpenFlag.APPEND.bits);
    expected.put("O_NONBLOCK", (long) OpenFlag.NON_BLOCKING.bits);
    expected.put("sizeof(struct statfs)", (long) FileSystemInfo.STRUCT_SIZE);
    expected.put("offsetof(struct statfs, f_bsize)", (long) FileSystemInfo.BLOCK_SIZE_OFFSET);
    expected.put("offsetof(struct statfs, f_bavail)", (long) FileSystemInfo.AVAILABLE_OFFSET);
    expected.put("offsetof(struct statfs, f_ffree)", (long) FileSystemInfo.FREE_INODES_OFFSET);
    expected.put("sizeof(struct statx)", (long) FileStatus.STRUCT_SIZE);
    expected.put("offsetof(struct statx, stx_mode)", (long) FileStatus.MODE_OFFSET);
    expected.put("offsetof(struct statx, stx_uid)", (long) FileStatus.UID_OFFSET);
    expected.put("offsetof(struct statx, stx_gid)", (long) FileStatus.GID_OFFSET);
    expected.put("offsetof(struct statx, stx_ino)", (long) FileStatus.INODE_OFFSET);
    expected.put("offsetof(struct statx, stx_size)", (long) FileStatus.SIZE_OFFSET);
    expected.put("offsetof(struct statx, stx_blocks)", (long) FileStatus.BLOCKS_OFFSET);
    expected.put("FICLONE", Reflink.FICLONE);
    expected.put("MAP_FIXED", (long) MemoryCalls.MAP_FIXED);
    expected.put("MADV_POPULATE_WRITE", (long) MemoryCalls.MADV_POPULATE_WRITE);
  }

  private void processes(Arch arch) {
    expected.put("SYS_pidfd_open", (long) Arch.PIDFD_OPEN);
    expected.put("SYS_pidfd_send_signal", (long) Arch.PIDFD_SEND_SIGNAL);
    expected.put("SYS_pidfd_getfd", (long) Arch.PIDFD_GETFD);
    expected.put("SYS_userfaultfd", (long) arch.userfaultfd);
    expected.put("SYS_close", (long) arch.close);
    expected.put("SYS_mmap", (long) arch.mmap);
    expected.put("SYS_getpid", (long) arch.getpid);
    expected.put("AT_SYSINFO_EHDR", Vdso.START);
    expected.put("P_PID", (long) PtraceCalls.P_PID);
    expected.put("WSTOPPED", (long) PtraceCalls.WSTOPPED);
    expected.put("WEXITED", (long) PtraceCalls.WEXITED);
    expected.put("WNOWAIT", (long) PtraceCalls.WNOWAIT);
    expected.put("__WALL", (long) PtraceCalls.WALL);
    expected.put("CLD_TRAPPED", (long) PtraceCalls.CLD_TRAPPED);
    expected.put("PTRACE_CONT", (long) PtraceCalls.CONT);
    expected.put("PTRACE_SETOPTIONS", (long) PtraceCalls.SETOPTIONS);
    expected.put("PTRACE_O_EXITKILL", (long) PtraceCalls.EXITKILL);
    expected.put("PTRACE_O_TRACESYSGOOD", (long) PtraceCalls.TRACESYSGOOD);
    expected.put("sizeof(struct iovec)", (long) PtraceCalls.IOVEC_SIZE);
    expected.put("PTRACE_SEIZE", (long) PtraceCalls.SEIZE);
    expected.put("PTRACE_INTERRUPT", (long) PtraceCalls.INTERRUPT);
    expected.put("PTRACE_GETREGSET", (long) PtraceCalls.GETREGSET);
    expected.put("PTRACE_SETREGSET", (long) PtraceCalls.SETREGSET);
    expected.put("PTRACE_GETSIGMASK", (long) PtraceCalls.GETSIGMASK);
    expected.put("PTRACE_SETSIGMASK", (long) PtraceCalls.SETSIGMASK);
    expected.put("PTRACE_SYSCALL", (long) PtraceCalls.SYSCALL);
    expected.put("PTRACE_DETACH", (long) PtraceCalls.DETACH);
    PtraceRegisters registers = PtraceRegisters.of(arch);
    expected.put("sizeof(struct user_regs_struct)", registers.count * (long) Long.BYTES);
    expected.put(
        "offsetof(struct user_regs_struct, %s)".formatted(PROGRAM_COUNTER.get(arch)),
        registers.programCounter * (long) Long.BYTES);
    expected.put("SYS_perf_event_open", (long) arch.perfEventOpen);
    expected.put("sizeof(struct epoll_event)", (long) arch.epollEventSize);
    expected.put("offsetof(struct epoll_event, data)", (long) arch.epollDataOffset);
    expected.put("sizeof(struct pollfd)", (long) ProcessCalls.POLLFD_SIZE);
    expected.put("sizeof(siginfo_t)", (long) ProcessCalls.SIGINFO_SIZE);
    expected.put("offsetof(siginfo_t, si_code)", (long) ProcessCalls.SIGINFO_CODE_OFFSET);
    expected.put("offsetof(siginfo_t, si_status)", (long) ProcessCalls.SIGINFO_STATUS_OFFSET);
    expected.put("sizeof(posix_spawn_file_actions_t)", (long) SpawnCalls.FILE_ACTIONS_SIZE);
    expected.put("sizeof(posix_spawnattr_t)", (long) SpawnCalls.ATTRIBUTES_SIZE);
    expected.put("sizeof(sigset_t)", (long) SpawnCalls.SIGSET_SIZE);
    expected.put("POSIX_SPAWN_SETSID", (long) SpawnCalls.SETSID);
    expected.put("POSIX_SPAWN_SETSIGMASK", (long) SpawnCalls.SETSIGMASK);
    expected.put("POSIX_SPAWN_SETSIGDEF", (long) SpawnCalls.SETSIGDEF);
    expected.put("_SC_CLK_TCK", (long) ProcessCalls.SC_CLK_TCK);
    expected.put("_SC_LEVEL1_ICACHE_LINESIZE", (long) ProcessCalls.SC_LEVEL1_ICACHE_LINESIZE);
    expected.put("_SC_PAGESIZE", (long) ProcessCalls.SC_PAGESIZE);
  }

  private void namespaces() {
    expected.put("CLONE_NEWNS", (long) NamespaceCalls.CLONE_NEWNS);
    expected.put("CLONE_NEWUTS", (long) NamespaceCalls.CLONE_NEWUTS);
    expected.put("CLONE_NEWIPC", (long) NamespaceCalls.CLONE_NEWIPC);
    expected.put("CLONE_NEWNET", (long) NamespaceCalls.CLONE_NEWNET);
    expected.put("MS_BIND", NamespaceCalls.MS_BIND);
    expected.put("MS_REC", NamespaceCalls.MS_REC);
    expected.put("MS_SLAVE", NamespaceCalls.MS_SLAVE);
    expected.put("MS_SHARED", NamespaceCalls.MS_SHARED);
    expected.put("MNT_DETACH", (long) NamespaceCalls.MNT_DETACH);
  }

  private void devices() {
    expected.put("TUNSETIFF", Tap.TUNSETIFF);
    expected.put("TUNSETPERSIST", Tap.TUNSETPERSIST);
    expected.put("IFF_TAP", (long) Tap.IFF_TAP);
    expected.put("IFF_NO_PI", (long) Tap.IFF_NO_PI);
    expected.put("IFF_MULTI_QUEUE", (long) Tap.IFF_MULTI_QUEUE);
    expected.put("sizeof(struct ifreq)", (long) Tap.IFREQ_SIZE);
    expected.put("offsetof(struct ifreq, ifr_flags)", (long) Tap.FLAGS_OFFSET);
    expected.put("UFFDIO_API", Userfaultfd.API);
    expected.put("UFFDIO_REGISTER", Userfaultfd.REGISTER);
    expected.put("UFFD_USER_MODE_ONLY", (long) Userfaultfd.USER_MODE_ONLY);
    expected.put("UFFDIO_UNREGISTER", Userfaultfd.UNREGISTER);
    expected.put("UFFD_FEATURE_WP_HUGETLBFS_SHMEM", Userfaultfd.Feature.WP_HUGETLBFS_SHMEM.bit());
    expected.put(
        "offsetof(struct perf_event_mmap_page, capabilities)",
        (long) TscFrequency.CAPABILITIES_OFFSET);
    expected.put(
        "offsetof(struct perf_event_mmap_page, time_shift)", (long) TscFrequency.SHIFT_OFFSET);
    expected.put(
        "offsetof(struct perf_event_mmap_page, time_mult)", (long) TscFrequency.MULT_OFFSET);
    expected.put("_IOWR('f', 16, char[96])", PageMap.PAGEMAP_SCAN);
  }

  /** What the compiler has to say against the numbers; nothing has to run for it. */
  private String complaints(Path compiler) throws Exception {
    String claims =
        expected.entrySet().stream()
            .map(
                claim ->
                    "_Static_assert((long long)(%s) == %dLL, \"%s is not %d\");"
                        .formatted(
                            claim.getKey(),
                            claim.getValue(),
                            claim.getKey().replace("\"", "'"),
                            claim.getValue()))
            .collect(Collectors.joining("\n"));
    Path source = Files.writeString(folder.resolve("probe.c"), HEADERS + claims + "\n");
    Path log = folder.resolve("log");
    Process compile =
        new ProcessBuilder(compiler.toString(), "-w", "-fsyntax-only", source.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    int status = compile.waitFor();
    return status == 0 ? "" : "exit status %d: %s".formatted(status, Files.readString(log));
  }
}
