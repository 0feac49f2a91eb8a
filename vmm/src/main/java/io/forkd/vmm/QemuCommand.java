package io.forkd.vmm;

import java.util.ArrayList;
import java.util.List;

/**
 * Builds QEMU's arguments. QEMU gets every file and socket as an open descriptor under a fixed
 * number, so that it needs no right to any path of the host but its own work folder.
 */
final class QemuCommand {
  /** Counts the changes to the devices a guest sees: device state of one layout fits no other. */
  static final int LAYOUT = 2;

  static final int QMP_FD = 3;
  static final int AGENT_FD = 4;
  static final int MEMORY_FD = 5;
  static final int ROOTFS_FD = 6;
  static final int KERNEL_FD = 7;
  static final int INITRD_FD = 8;
  static final int DEVICE_STATE_FD = 9;

  /** A file in memory that QEMU writes its device state to when it is told to. */
  static final int SAVED_STATE_FD = 10;

  /** The far end of the guest's wire, where it has one. */
  static final int TAP_FD = 11;

  /** The deltas of a chain, one after the other. */
  static final int FIRST_LAYER_FD = 12;

  static final String CONSOLE = "console";
  private static final int CONSOLE_BYTES = 64 * 1024;

  private final QemuMachine machine;
  private final QemuVersion version;
  private final int translationCacheMib;

  QemuCommand(QemuMachine machine, QemuVersion version, int translationCacheMib) {
    this.machine = machine;
    this.version = version;
    this.translationCacheMib = translationCacheMib;
  }

  List<String> boot(BootSpec spec) {
    List<String> arguments = common(spec.site(), spec.shape(), "share=on", spec.tap().isPresent());
    // A parent that stops stays, so that its console can still be read.
    add(arguments, "-action", "reboot=shutdown,shutdown=pause");
    arguments.addAll(
        List.of(
            "-kernel",
            path(KERNEL_FD),
            "-initrd",
            path(INITRD_FD),
            "-append",
            machine.kernelParameters() + " " + spec.commandLine()));
    return arguments;
  }

  List<String> restore(RestoreSpec spec) {
    List<String> arguments =
        common(spec.site(), spec.shape(), privateMapping(), spec.tap().isPresent());
    // One whose guest stops stays until a daemon has asked it why, which may be a later one.
    add(arguments, "-action", "reboot=shutdown,shutdown=pause");
    add(arguments, "-incoming", "defer", "-S");
    return arguments;
  }

  /** Where {@code migrate-incoming} finds the device state. */
  String deviceStateAddress() {
    return version.atLeast(QemuVersion.FILE_MIGRATION)
        ? "file:" + path(DEVICE_STATE_FD)
        : "fd:" + DEVICE_STATE_FD;
  }

  static String savedStatePath() {
    return path(SAVED_STATE_FD);
  }

  private String privateMapping() {
    return version.atLeast(QemuVersion.READ_ONLY_IMAGES)
        ? "share=off,readonly=on,rom=off"
        : "share=off";
  }

  private List<String> common(VmSite site, GuestShape shape, String mapping, boolean wired) {
    List<String> arguments = new ArrayList<>();
    add(arguments, "-name", site.name());
    add(arguments, "-nodefaults");
    add(arguments, "-no-user-config");
    add(arguments, "-display", "none");
    add(
        arguments,
        "-sandbox",
        "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
    add(arguments, "-machine", machine.type() + ",memory-backend=ram,suppress-vmdesc=on");
    add(arguments, "-accel", machine.accelerator().argument(translationCacheMib));
    add(arguments, "-cpu", machine.cpu());
    add(arguments, "-smp", String.valueOf(shape.vcpus()));
    add(arguments, "-m", shape.memoryMib() + "M");
    add(
        arguments,
        "-object",
        "memory-backend-file,id=ram,size=%dM,mem-path=%s,%s"
            .formatted(shape.memoryMib(), path(MEMORY_FD), mapping));
    add(arguments, "-global", "migration.send-configuration=off");
    add(arguments, "-chardev", "socket,id=qmp,fd=" + QMP_FD + ",server=on,wait=off");
    add(arguments, "-mon", "chardev=qmp,mode=control");
    add(arguments, "-chardev", "ringbuf,id=" + CONSOLE + ",size=" + CONSOLE_BYTES);
    add(arguments, "-serial", "chardev:" + CONSOLE);
    add(arguments, "-chardev", "socket,id=agent,fd=" + AGENT_FD + ",server=on,wait=off");
    add(arguments, "-device", "virtio-serial-" + machine.transport());
    add(arguments, "-device", "virtserialport,chardev=agent,name=forkd.agent");
    add(
        arguments,
        "-blockdev",
        "driver=file,node-name=root,read-only=on,locking=off,filename=" + path(ROOTFS_FD));
    add(arguments, "-device", "virtio-blk-" + machine.transport() + ",drive=root");
    arguments.addAll(QemuNic.arguments(machine, wired));
    return arguments;
  }

  private static String path(int fd) {
    return "/proc/self/fd/" + fd;
  }

  private static void add(List<String> arguments, String... more) {
    arguments.addAll(List.of(more));
  }
}
