package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.base.SandboxId;
import io.forkd.image.Images;
import io.forkd.store.Manifest;
import io.forkd.store.Store;
import io.forkd.vmm.Vmm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Opens the core on this host: finds what the host can do and what an earlier daemon left. */
public final class LocalForkd {
  private static final int MOST_SLOTS = 4096;

  private LocalForkd() {}

  public static Forkd open(CoreConfig config) {
    if (!Files.isDirectory(config.recipes())) {
      throw ForkdException.badRequest("%s is not a folder of recipes.", config.recipes());
    }
    Locations locations = config.locations();
    makeFolder(locations.data());
    makeFolder(locations.run());
    Host host = Host.detect();
    Vmm vmm = host.openVmm();
    Manifest.Vmm here = SnapshotBuilder.here(vmm);
    Confinement confinement = host.openConfinement(locations);
    Workplaces workplaces =
        new Workplaces(
            locations.run(), MOST_SLOTS, host.privileged(), host.vmmGroups(), confinement);
    Store store = Store.open(locations.data());
    Identities identities = new Identities();
    Forker forker = new Forker(vmm, workplaces, identities);
    Templates templates = new Templates(store, here);
    Foreground foreground = new Foreground(2 * host.cores());
    SandboxTable sandboxes = new SandboxTable();
    new Adoption(vmm, workplaces, confinement).into(sandboxes);
    Pools pools =
        new Pools(
            tag ->
                templates.using(
                    tag, template -> forker.park(template, SandboxId.of(identities.newBatch(), 0))),
            foreground,
            Math.max(0.5, host.cores() / 2.0),
            new PoolFile(locations.data().resolve("pools.json")));
    return new HostForkd(
        "%s (%s)".formatted(vmm.info().summary(), host.accelerator().reason()),
        store,
        templates,
        new SnapshotBuilder(
            store,
            new Images(locations.data().resolve("images"), host.arch()),
            config.recipes(),
            vmm,
            workplaces,
            identities),
        new SnapshotViews(here),
        forker,
        identities,
        foreground,
        sandboxes,
        pools,
        confinement);
  }

  private static void makeFolder(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "cannot make the folder %s: %s. Set FORKD_DATA or FORKD_RUN to one that can be made."
              .formatted(folder, e.getMessage()),
          e);
    }
  }
}
