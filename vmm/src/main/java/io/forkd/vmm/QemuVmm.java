package io.forkd.vmm;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Adopted;
import io.forkd.linux.Child;
import io.forkd.linux.Fd;
import io.forkd.linux.HostFiles;
import io.forkd.linux.HostProcess;
import io.forkd.linux.LinuxException;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.Signal;
import io.forkd.linux.Spawn;
import io.forkd.linux.UnixListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Runs VMs in QEMU, with KVM where the host has it and by emulation where not. */
public final class QemuVmm implements Vmm {
  /** Covers QEMU's start on a crowded host; a QEMU that dies ends the wait at once. */
  private static final Duration START_WAIT = Duration.ofSeconds(60);

  private static final Duration KILL_WAIT = Duration.ofSeconds(10);
  private static final int BACKLOG = 1;

  private final Path program;
  private final QemuCommand command;
  private final VmmInfo info;

  private QemuVmm(Path program, QemuCommand command, VmmInfo info) {
    this.program = program;
    this.command = command;
    this.info = info;
  }

  /**
   * Finds QEMU for an architecture.
   *
   * @param kvm whether /dev/kvm can be used
   * @param tscKhz the TSC's frequency, where known
   * @param translationCacheMib room for translated code when there is no KVM
   */
  public static QemuVmm open(
      String arch, boolean kvm, OptionalLong tscKhz, int translationCacheMib) {
    return of(QemuBinary.require(arch), arch, kvm, tscKhz, translationCacheMib);
  }

  static QemuVmm of(
      QemuBinary binary, String arch, boolean kvm, OptionalLong tscKhz, int translationCacheMib) {
    QemuVersion version = binary.version();
    QemuMachine machine = QemuMachine.choose(arch, kvm, tscKhz);
    return new QemuVmm(
        binary.path(),
        new QemuCommand(machine, version, translationCacheMib),
        new VmmInfo(
            "qemu", version.toString(), arch, machine.layout(), machine.cpu(), machine.tscKhz()));
  }

  @Override
  public VmmInfo info() {
    return info;
  }

  @Override
  public VirtualMachine boot(BootSpec spec) {
    try (Fd kernel = HostFiles.open(spec.kernel(), OpenFlag.READ);
        Fd initrd = HostFiles.open(spec.initrd(), OpenFlag.READ)) {
      Map<Integer, Fd> files = new HashMap<>();
      files.put(QemuCommand.MEMORY_FD, spec.memory());
      files.put(QemuCommand.ROOTFS_FD, spec.rootfs());
      files.put(QemuCommand.KERNEL_FD, kernel);
      files.put(QemuCommand.INITRD_FD, initrd);
      spec.tap().ifPresent(tap -> files.put(QemuCommand.TAP_FD, tap));
      return vm(spec.site(), spawn(spec.site(), command.boot(spec), files));
    }
  }

  @Override
  public VirtualMachine restore(RestoreSpec spec) {
    Map<Integer, Fd> files = new HashMap<>();
    files.put(QemuCommand.MEMORY_FD, spec.memory());
    files.put(QemuCommand.ROOTFS_FD, spec.rootfs());
    files.put(QemuCommand.DEVICE_STATE_FD, spec.deviceState());
    spec.tap().ifPresent(tap -> files.put(QemuCommand.TAP_FD, tap));
    for (int i = 0; i < spec.overlay().layers().size(); i++) {
      files.put(QemuCommand.FIRST_LAYER_FD + i, spec.overlay().layers().get(i).memory());
    }
    Child child = spawn(spec.site(), command.restore(spec), files);
    Qmp qmp = connect(spec.site(), child);
    try {
      OptionalInt tracker =
          new MemorySetup(child, spec.overlay(), QemuCommand.FIRST_LAYER_FD)
              .run(spec.shape().memoryBytes(), spec.trackWrites());
      return new QemuVm(spec.site(), child, qmp, command.deviceStateAddress(), tracker)
          .endWithGuest();
    } catch (RuntimeException e) {
      qmp.close();
      end(child);
      throw e;
    }
  }

  @Override
  public VirtualMachine adopt(VmSite site, long pid, long startTime) {
    HostProcess process =
        Adopted.open(pid, startTime)
            .orElseThrow(
                () ->
                    new ForkdException(
                        ErrorCode.GUEST_FAILED, "the VMM process %d has ended".formatted(pid)));
    QemuVm vm = vm(site, process).endWithGuest();
    try {
      vm.endIfGuestStopped();
      if (vm.guestStop().isEmpty()) {
        vm.endStream();
      }
      return vm;
    } catch (RuntimeException e) {
      vm.close();
      throw e;
    }
  }

  private QemuVm vm(VmSite site, HostProcess process) {
    return new QemuVm(
        site, process, connect(site, process), command.deviceStateAddress(), OptionalInt.empty());
  }

  /**
   * Keeps no copy of the listening sockets: when QEMU dies, whoever waits for it learns at once.
   */
  private Child spawn(VmSite site, List<String> arguments, Map<Integer, Fd> files) {
    try (Fd qmp = UnixListener.bind(site.qmpSocket(), BACKLOG);
        Fd agent = UnixListener.bind(site.agentSocket(), BACKLOG);
        Memfd savedState = Memfd.create("forkd-saved-state", 0)) {
      Spawn spawn =
          Spawn.of(program, arguments)
              .environment(Map.of("PATH", "/usr/bin:/bin", "LC_ALL", "C"))
              .workingDirectory(site.scratch())
              .log(site.log())
              .descriptor(qmp, QemuCommand.QMP_FD)
              .descriptor(agent, QemuCommand.AGENT_FD)
              .descriptor(savedState.fd(), QemuCommand.SAVED_STATE_FD);
      files.forEach((number, fd) -> spawn.descriptor(fd, number));
      site.runAs().ifPresent(spawn::as);
      site.namespaces().ifPresent(spawn::in);
      return spawn.start();
    } catch (LinuxException | IllegalArgumentException | UnsupportedOperationException e) {
      // The latter two: a run folder too long for sockets, and a host without setpriv.
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "cannot start %s: %s".formatted(program, e.getMessage()), e);
    }
  }

  private static Qmp connect(VmSite site, HostProcess process) {
    try {
      return Qmp.connect(site.qmpSocket(), START_WAIT);
    } catch (ForkdException e) {
      end(process);
      throw new ForkdException(e.code(), e.getMessage() + VmmLog.lastWords(site), e);
    }
  }

  private static void end(HostProcess process) {
    process.kill(Signal.KILL);
    QemuVm.endsWithin(process, KILL_WAIT);
  }
}
