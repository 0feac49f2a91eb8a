package io.forkd.core;

import io.forkd.base.Folders;
import io.forkd.guest.Agent;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecRequest;
import io.forkd.guest.ExecResult;
import io.forkd.guest.GuestFiles;
import io.forkd.image.GuestImage;
import io.forkd.image.GuestParts;
import io.forkd.image.Images;
import io.forkd.image.Recipes;
import io.forkd.linux.Fd;
import io.forkd.linux.HostFiles;
import io.forkd.linux.Memfd;
import io.forkd.linux.OpenFlag;
import io.forkd.linux.Spawn;
import io.forkd.vmm.BootSpec;
import io.forkd.vmm.GuestShape;
import io.forkd.vmm.Overlay;
import io.forkd.vmm.RestoreSpec;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.Vmm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A VM and its agent without a forkd around them, for tests of what these two do. */
final class BareVm implements AutoCloseable {
  static final Duration WAIT = Duration.ofMinutes(2);
  static final GuestShape SHAPE = new GuestShape(256, 3);

  /** As forkd has it: a user that exists nowhere and may do nothing. */
  private static final int UID = 1_879_048_192 + 4711;

  /** What a paused VM consists of. */
  record Saved(Memfd memory, byte[] devices) implements AutoCloseable {
    @Override
    public void close() {
      memory.close();
    }
  }

  private final Path folder;
  private final VirtualMachine vm;
  private Optional<Memfd> memory;
  private final Agent agent;

  private BareVm(Path folder, VirtualMachine vm, Optional<Memfd> memory) {
    this.folder = folder;
    this.vm = vm;
    this.memory = memory;
    this.agent = Agent.open(vm.agentSocket());
  }

  /** The guest of the python-numpy recipe. */
  static GuestImage image() {
    VmLab lab = VmLab.shared();
    return new Images(lab.locations.data().resolve("images"), Host.detect().arch())
        .build(
            Recipes.load(VmLab.RECIPES, "python-numpy"),
            new GuestParts(GuestFiles.agentBinary(), GuestFiles.runtimes()),
            (step, detail) -> System.out.printf("[vm] %s: %s%n", step, detail));
  }

  static BareVm boot(Vmm vmm, GuestImage image, Optional<Fd> tap) {
    Path folder = newFolder();
    Memfd memory = Memfd.create("forkd-test-parent", SHAPE.memoryBytes());
    try (Fd rootfs = HostFiles.open(image.rootfs(), OpenFlag.READ)) {
      BootSpec spec =
          new BootSpec(
              site(folder),
              SHAPE,
              image.kernel(),
              image.initrd(),
              image.kernelArguments() + " quiet panic=-1",
              rootfs,
              memory.fd(),
              tap);
      BareVm vm = new BareVm(folder, vmm.boot(spec), Optional.of(memory));
      vm.agent.awaitHello(WAIT);
      return vm;
    }
  }

  static BareVm restore(Vmm vmm, GuestImage image, Saved saved, Optional<Fd> tap) {
    Path folder = newFolder();
    try (Fd rootfs = HostFiles.open(image.rootfs(), OpenFlag.READ);
        Memfd devices = DeviceStates.inMemory(saved.devices)) {
      VirtualMachine machine =
          vmm.restore(
              new RestoreSpec(
                  site(folder),
                  SHAPE,
                  rootfs,
                  saved.memory.fd(),
                  devices.fd(),
                  Overlay.NONE,
                  tap,
                  false));
      BareVm vm = new BareVm(folder, machine, Optional.empty());
      try {
        machine.loadDeviceState();
        machine.resume();
        vm.agent.awaitHello(WAIT);
        return vm;
      } catch (RuntimeException e) {
        vm.close();
        throw e;
      }
    }
  }

  /** Ends a booted VM and keeps what it was. */
  Saved save() {
    agent.quiesce(WAIT);
    vm.pause();
    vm.saveDeviceState();
    byte[] devices = vm.deviceState();
    end();
    Saved saved = new Saved(memory.orElseThrow(), devices);
    memory = Optional.empty();
    return saved;
  }

  Agent agent() {
    return agent;
  }

  String log() {
    try {
      return Files.readString(folder.resolve("vmm.log"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  String eval(String code) {
    EvalResult result = agent.eval(code, WAIT);
    if (result.error().isPresent()) {
      throw new AssertionError(result.error().get() + result.traceback().orElse(""));
    }
    return result.result().orElse("");
  }

  String sh(String script) {
    ExecResult result = agent.exec(ExecRequest.of(List.of("/bin/sh", "-c", script), WAIT));
    if (result.exitCode() != 0) {
      throw new AssertionError("exit %d: %s".formatted(result.exitCode(), result.stderr()));
    }
    return result.stdout().strip();
  }

  private static Path newFolder() {
    try {
      Path folder = Files.createTempDirectory(Path.of("/run"), "forkd-test-bare");
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
      Path scratch = Files.createDirectory(folder.resolve("vmm"));
      Files.setAttribute(scratch, "unix:uid", UID);
      return folder;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static VmSite site(Path folder) {
    Spawn.Identity nobody = new Spawn.Identity(UID, UID, List.of());
    return new VmSite("forkd-test", folder, folder.resolve("vmm"), Optional.of(nobody));
  }

  private void end() {
    agent.close();
    vm.kill(WAIT);
    try {
      Folders.deleteIfThere(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    end();
    memory.ifPresent(Memfd::close);
  }
}
