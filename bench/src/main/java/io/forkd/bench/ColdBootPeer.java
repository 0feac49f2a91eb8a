package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Arch;
import io.forkd.linux.Child;
import io.forkd.linux.Spawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** QEMU booting the guest's kernel and disk from nothing for every run. */
final class ColdBootPeer implements Peer {
  private static final Duration LONGEST = Duration.ofMinutes(5);
  private static final Duration LOOK = Duration.ofMillis(10);

  private final GuestFiles files;
  private final boolean kvm;
  private final int memoryMib;
  private final int boots;
  private final int parallel;
  private final Undo undo;

  ColdBootPeer(GuestFiles files, boolean kvm, int memoryMib, int boots, int parallel, Undo undo) {
    this.files = files;
    this.kvm = kvm;
    this.memoryMib = memoryMib;
    this.boots = boots;
    this.parallel = parallel;
    this.undo = undo;
  }

  @Override
  public String name() {
    return "qemu-boot";
  }

  @Override
  public String debianPackage() {
    return Arch.host() == Arch.X86_64 ? "qemu-system-x86" : "qemu-system-arm";
  }

  @Override
  public boolean installed() {
    return Spawn.find(binary()).isPresent();
  }

  @Override
  public String version(Path work) {
    return new Program(undo)
        .run(List.of(binary(), "--version"), work.resolve("version"), LONGEST)
        .output()
        .lines()
        .findFirst()
        .orElse("unknown");
  }

  @Override
  public Result run(Path work, Narrator narrator) {
    Path initrd = work.resolve("initrd");
    try {
      Files.write(initrd, ColdBootDisk.make(files.initrd(), files.root()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    narrator.begin("Booting %d VMs cold".formatted(boots));
    double cpuBefore = Program.cpuOfEndedChildrenMillis();
    Stopwatch watch = new Stopwatch();
    List<Double> each =
        Parallel.map(
            IntStream.range(0, boots).boxed().toList(),
            parallel,
            i -> boot(initrd, work.resolve("console-" + i)));
    double wall = watch.millis();
    double cpu = (Program.cpuOfEndedChildrenMillis() - cpuBefore) / boots;
    return new Result(
        name(),
        "QEMU, kernel boot to the answer",
        boots,
        wall,
        Samples.of(each),
        Optional.of(Stopwatch.rounded(cpu)),
        Optional.empty(),
        Optional.empty(),
        List.of("qemu-boot ends when the answer is on the console; the VM is then killed."));
  }

  private double boot(Path initrd, Path console) {
    Stopwatch watch = new Stopwatch();
    Child child = Program.start(command(initrd), console);
    try (Undo.Mark _ = Program.remember(undo, "a VM", child)) {
      while (!Program.read(console).contains(Workload.ANSWER)) {
        boolean ended = child.waitFor(LOOK).isPresent();
        if (ended && !Program.read(console).contains(Workload.ANSWER)) {
          throw failed("ended without the answer", console);
        }
        if (watch.millis() > LONGEST.toMillis()) {
          throw failed("gave no answer in %d s".formatted(LONGEST.toSeconds()), console);
        }
      }
      return watch.millis();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static ForkdException failed(String what, Path console) {
    List<String> lines = Program.read(console).strip().lines().toList();
    return new ForkdException(
        ErrorCode.GUEST_FAILED,
        "The VM %s. Its last words: %s"
            .formatted(
                what,
                String.join(" | ", lines.subList(Math.max(0, lines.size() - 4), lines.size()))));
  }

  private static String binary() {
    return Arch.host() == Arch.X86_64 ? "qemu-system-x86_64" : "qemu-system-aarch64";
  }

  /** The machine that boots everywhere; what differs from forkd's own is small beside the boot. */
  List<String> command(Path initrd) {
    boolean x86 = Arch.host() == Arch.X86_64;
    String mitigations = kvm ? "" : " mitigations=off";
    List<String> command = new ArrayList<>(List.of(binary(), "-nodefaults", "-no-user-config"));
    command.addAll(List.of("-display", "none", "-no-reboot"));
    command.addAll(List.of("-machine", x86 ? "q35" : "virt,gic-version=3"));
    command.addAll(List.of("-accel", kvm ? "kvm" : "tcg,thread=multi", "-cpu", files.cpu()));
    command.addAll(List.of("-smp", "1", "-m", memoryMib + "M", "-serial", "stdio"));
    command.addAll(List.of("-kernel", files.kernel().toString(), "-initrd", initrd.toString()));
    command.addAll(
        List.of(
            "-append",
            "console=%s quiet panic=-1 rdinit=%s%s"
                .formatted(x86 ? "ttyS0" : "ttyAMA0", ColdBootDisk.INIT, mitigations)));
    command.addAll(
        List.of(
            "-blockdev",
            "driver=file,node-name=root,read-only=on,locking=off,filename="
                + files.disk().toString().replace(",", ",,"),
            "-device",
            (x86 ? "virtio-blk-pci" : "virtio-blk-device") + ",drive=root"));
    return command;
  }
}
