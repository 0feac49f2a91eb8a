package io.forkd.cli;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
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
    Optional<String> problem = Host.cannotOpen(Path.of("/dev/kvm"));
    if (problem.isPresent()) {
      return Finding.warn(
          "/dev/kvm: %s; guests run under TCG, QEMU's emulation".formatted(problem.get()),
          "everything works; code in guests runs several times slower, forks stay cheap",
          "use a machine with hardware or nested virtualization (modprobe kvm_intel or kvm_amd), or join the group kvm");
    }
    return Finding.ok("/dev/kvm can be opened", "guests run at the CPU's speed");
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
