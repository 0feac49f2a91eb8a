package io.forkd.cli;

import io.forkd.linux.Probe;
import io.forkd.linux.Probes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What runs guests: the CPU's virtualization, QEMU, the kernel, the JDK. */
final class MachineChecks {
  private static final Pattern QEMU_VERSION =
      Pattern.compile("version ([0-9]+)\\.([0-9]+)\\.?([0-9]*)");

  private MachineChecks() {}

  static List<Check> of() {
    return List.of(
        new Check("kvm", MachineChecks::kvm),
        new Check("qemu", MachineChecks::qemu),
        new Check("kernel", MachineChecks::kernel),
        new Check("jdk", MachineChecks::jdk),
        new Check("cpus", MachineChecks::cpus));
  }

  private static Finding kvm() {
    Probe kvm = Probes.kvm();
    if (!kvm.works()) {
      return emulated(
          kvm.reason(),
          "use a machine with hardware or nested virtualization; modprobe kvm_intel or kvm_amd");
    }
    boolean virtualizes =
        !Host.arch().equals("x86_64")
            || Host.read("/proc/cpuinfo").orElse("").matches("(?s).*\\b(vmx|svm)\\b.*");
    if (!virtualizes) {
      return emulated(
          "/dev/kvm is there, but the CPU offers neither VMX nor SVM",
          "use a machine with nested virtualization");
    }
    if (Context.isRoot() && !groupMayUse(Path.of("/dev/kvm"))) {
      return emulated(
          "/dev/kvm is for its owner only, and VMMs do not run as root",
          "chgrp kvm /dev/kvm && chmod 660 /dev/kvm");
    }
    return Finding.ok(kvm.reason(), "guests run at the CPU's speed");
  }

  private static Finding emulated(String why, String fix) {
    return Finding.warn(
        why + ": guests run under TCG, QEMU's emulation",
        "everything works; code in guests runs several times slower, forks stay cheap",
        fix);
  }

  private static boolean groupMayUse(Path device) {
    try {
      return Files.getPosixFilePermissions(device)
          .containsAll(Set.of(PosixFilePermission.GROUP_READ, PosixFilePermission.GROUP_WRITE));
    } catch (IOException e) {
      return false;
    }
  }

  private static Finding qemu() {
    String name = "qemu-system-" + Host.arch();
    String fix =
        "apt-get install " + (Host.arch().equals("x86_64") ? "qemu-system-x86" : "qemu-system-arm");
    Optional<Path> binary = Host.program(name);
    if (binary.isEmpty()) {
      return Finding.fail("no " + name, "no guest can run", fix);
    }
    Host.Output output = Host.run(List.of(binary.get().toString(), "--version"));
    Matcher version = QEMU_VERSION.matcher(output.text());
    if (!output.ok() || !version.find()) {
      return Finding.fail(
          binary.get() + " does not start", "no guest can run", fix + " --reinstall");
    }
    int number = Integer.parseInt(version.group(1)) * 100 + Integer.parseInt(version.group(2));
    String found = "%s %s.%s".formatted(binary.get(), version.group(1), version.group(2));
    if (number < 702) {
      return Finding.fail(
          found, "snapshots need QEMU 7.2 or newer", "upgrade to Debian 12 or newer");
    }
    return Finding.ok(found, "supported (7.2 to 10.x)");
  }

  private static Finding kernel() {
    String found = "Linux " + System.getProperty("os.version") + " " + Host.arch();
    if (!HostProbes.kernelAtLeast(5, 10)) {
      return Finding.fail(found, "forkd is made for 5.10 and newer", "upgrade the kernel");
    }
    return Finding.ok(found, "supported");
  }

  private static Finding jdk() {
    int feature = Runtime.version().feature();
    String found =
        "%s %s in %s"
            .formatted(
                System.getProperty("java.vendor"),
                Runtime.version(),
                System.getProperty("java.home"));
    return feature >= 25
        ? Finding.ok(found, "supported")
        : Finding.fail(
            found,
            "forkd needs 25 or newer",
            "apt-get install openjdk-25-jdk-headless, or set FORKD_JAVA_HOME");
  }

  private static Finding cpus() {
    int cpus = Runtime.getRuntime().availableProcessors();
    return cpus >= 2
        ? Finding.ok(cpus + " CPUs", "children are restored in parallel")
        : Finding.warn(
            "1 CPU", "children are restored one after the other", "give the machine more CPUs");
  }
}
