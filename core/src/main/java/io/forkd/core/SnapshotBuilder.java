package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import io.forkd.base.SandboxId;
import io.forkd.guest.GuestFiles;
import io.forkd.image.GuestImage;
import io.forkd.image.GuestParts;
import io.forkd.image.Images;
import io.forkd.image.Recipe;
import io.forkd.image.Recipes;
import io.forkd.linux.Fd;
import io.forkd.linux.FileStatus;
import io.forkd.linux.Memfd;
import io.forkd.store.Manifest;
import io.forkd.store.SnapshotWriter;
import io.forkd.store.Store;
import io.forkd.store.StoredSnapshot;
import io.forkd.vmm.BootSpec;
import io.forkd.vmm.GuestShape;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.Vmm;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Boots a parent, warms it, and keeps it as a snapshot. Whatever fails, nothing of it is left. */
final class SnapshotBuilder {
  private static final int DEFAULT_MEMORY_MIB = 512;
  private static final int LEAST_MEMORY_MIB = 128;
  private static final int MOST_MEMORY_MIB = 1 << 20;
  private static final int MOST_VCPUS = 64;

  /**
   * The guest's kernel is told to leave out housekeeping that wakes an idle guest: a hundred idle
   * sandboxes share the host's few cores.
   */
  private static final String KERNEL_ARGUMENTS =
      "quiet panic=-1 nowatchdog tsc=reliable"
          + " sysctl.vm.stat_interval=120 sysctl.vm.compaction_proactiveness=0";

  private final Store store;
  private final Images images;
  private final Path recipes;
  private final Vmm vmm;
  private final Workplaces workplaces;
  private final Identities identities;
  private final DiskBudget disk;

  SnapshotBuilder(
      Store store,
      Images images,
      Path recipes,
      Vmm vmm,
      Workplaces workplaces,
      Identities identities,
      DiskBudget disk) {
    this.store = store;
    this.images = images;
    this.recipes = recipes;
    this.vmm = vmm;
    this.workplaces = workplaces;
    this.identities = identities;
    this.disk = disk;
  }

  StoredSnapshot build(SnapshotSpec spec, Progress progress) {
    if (store.exists(spec.tag())) {
      throw ForkdException.badRequest(
          "snapshot %s exists: remove it with `forkd rmi %s` first, or use another tag.",
          spec.tag(), spec.tag());
    }
    disk.require(0, "the snapshot " + spec.tag());
    try (SnapshotWriter writer = store.begin(spec.tag())) {
      Optional<Recipe> recipe = recipe(spec.source());
      progress.begin("image", "looking for the kernel and the root filesystem");
      GuestShape shape = shape(spec, recipe);
      GuestImage image = image(spec.source(), recipe, progress);
      try (Memfd memory = Memfd.create("forkd-parent", shape.memoryBytes())) {
        return bootAndKeep(spec, recipe, shape, image, memory, writer, progress);
      }
    }
  }

  private StoredSnapshot bootAndKeep(
      SnapshotSpec spec,
      Optional<Recipe> recipe,
      GuestShape shape,
      GuestImage image,
      Memfd memory,
      SnapshotWriter writer,
      Progress progress) {
    Workplace place = workplaces.make(SandboxId.of(identities.newBatch(), 0));
    try {
      progress.begin(
          "boot",
          "booting a parent with %d MiB on %s".formatted(shape.memoryMib(), vmm.info().summary()));
      VirtualMachine vm = boot(place, shape, image, memory);
      try {
        place.admit(vm.process().pid());
        ParentWarmer warmer =
            new ParentWarmer(vm, identities.of(place.id()), image.remarks(), progress);
        ParentWarmer.Warmed warmed = warmer.warm(spec, recipe);
        progress.begin("save", "writing the snapshot");
        vm.saveDeviceState();
        byte[] saved = vm.deviceState();
        // A VMM is not trusted: it must be gone before the memory it shares is read.
        vm.kill(LiveSandbox.KILL_WAIT);
        disk.require(FileStatus.of(memory.fd()).allocatedBytes(), "the snapshot " + spec.tag());
        Manifest.StateFile deviceState = keep(writer, saved);
        return writer.commit(
            new Manifest(
                Manifest.FORMAT,
                spec.tag(),
                Instant.now().getEpochSecond(),
                describe(spec.source()),
                here(vmm),
                new Manifest.Guest(shape.memoryMib(), shape.vcpus(), image.kernelRelease()),
                writer.memory(memory.fd()),
                deviceState,
                writer.rootfs(image.rootfs(), image.rootfsSha256()),
                warmed.agentProtocol(),
                warmed.runtimes(),
                warmed.rehearsal(),
                warning(image),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.of(identities.newBirth()),
                spec.owner()));
      } finally {
        vm.kill(LiveSandbox.KILL_WAIT);
      }
    } finally {
      place.remove();
    }
  }

  private static Manifest.StateFile keep(SnapshotWriter writer, byte[] deviceState) {
    try (Memfd file = DeviceStates.inMemory(deviceState)) {
      return writer.deviceState(file.fd());
    }
  }

  private VirtualMachine boot(Workplace place, GuestShape shape, GuestImage image, Memfd memory) {
    try (Fd rootfs = StoredSnapshot.open(image.rootfs())) {
      return place.withTap(
          tap ->
              vmm.boot(
                  new BootSpec(
                      place.site(0),
                      shape,
                      image.kernel(),
                      image.initrd(),
                      image.kernelArguments() + " " + KERNEL_ARGUMENTS,
                      rootfs,
                      memory.fd(),
                      tap)));
    }
  }

  private GuestImage image(SnapshotSpec.Source source, Optional<Recipe> recipe, Progress progress) {
    GuestParts parts = new GuestParts(GuestFiles.agentBinary(), GuestFiles.runtimes());
    return switch (source) {
      case SnapshotSpec.FromRecipe from -> images.build(recipe.orElseThrow(), parts, progress);
      case SnapshotSpec.FromFiles(Optional<Path> kernel, Path rootfs) ->
          images.fromFiles(kernel, rootfs, parts, progress);
    };
  }

  private Optional<Recipe> recipe(SnapshotSpec.Source source) {
    return switch (source) {
      case SnapshotSpec.FromRecipe(String name) -> Optional.of(Recipes.load(recipes, name));
      case SnapshotSpec.FromFiles files -> Optional.empty();
    };
  }

  private static GuestShape shape(SnapshotSpec spec, Optional<Recipe> recipe) {
    int memoryMib =
        spec.memoryMib().or(() -> recipe.flatMap(Recipe::memoryMib)).orElse(DEFAULT_MEMORY_MIB);
    int vcpus = spec.vcpus().or(() -> recipe.flatMap(Recipe::vcpus)).orElse(1);
    if (memoryMib < LEAST_MEMORY_MIB || memoryMib > MOST_MEMORY_MIB) {
      throw ForkdException.badRequest(
          "memory_mib is %d: use %d to %d.", memoryMib, LEAST_MEMORY_MIB, MOST_MEMORY_MIB);
    }
    if (vcpus < 1 || vcpus > MOST_VCPUS) {
      throw ForkdException.badRequest("vcpus is %d: use 1 to %d.", vcpus, MOST_VCPUS);
    }
    return new GuestShape(memoryMib, vcpus);
  }

  private static String describe(SnapshotSpec.Source source) {
    return switch (source) {
      case SnapshotSpec.FromRecipe(String name) -> "recipe " + name;
      case SnapshotSpec.FromFiles(Optional<Path> kernel, Path rootfs) -> "rootfs " + rootfs;
    };
  }

  private static Optional<String> warning(GuestImage image) {
    List<String> remarks = image.remarks();
    return remarks.isEmpty() ? Optional.empty() : Optional.of(String.join(" ", remarks));
  }

  static Manifest.Vmm here(Vmm vmm) {
    var info = vmm.info();
    return new Manifest.Vmm(
        info.name(), info.version(), info.arch(), info.machine(), info.cpu(), info.tscKhz());
  }
}
