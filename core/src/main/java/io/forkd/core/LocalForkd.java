package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.base.SandboxId;
import io.forkd.image.Images;
import io.forkd.linux.HostRoom;
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
    return open(config, LiveTracking.ofHost(System.getenv()));
  }

  /**
   * Opens it.
   *
   * @param live how running sandboxes are copied
   */
  static Forkd open(CoreConfig config, LiveTracking live) {
    if (!Files.isDirectory(config.recipes())) {
      throw ForkdException.badRequest("%s is not a folder of recipes.", config.recipes());
    }
    Locations locations = config.locations();
    makeFolder(locations.data());
    makeFolder(locations.run());
    Host host = Host.detect();
    Vmm vmm = host.openVmm();
    Confinement confinement = host.openConfinement(locations);
    Wiring wiring = Wiring.open(locations.run(), config.policy(), host.privileged());
    Workplaces workplaces =
        new Workplaces(
            locations.run(), MOST_SLOTS, host.privileged(), host.vmmGroups(), confinement, wiring);
    Store store = Store.open(locations.data());
    Log.CORE.info(
        "branches are {}: {}", live.works() ? "live" : "taken while paused", live.reason());
    HostParts parts = assemble(config, host, vmm, confinement, workplaces, store, live);
    parts.news().started(parts.sandboxes().all().size());
    return new HostForkd(parts);
  }

  private static HostParts assemble(
      CoreConfig config,
      Host host,
      Vmm vmm,
      Confinement confinement,
      Workplaces workplaces,
      Store store,
      LiveTracking live) {
    Identities identities = new Identities();
    Records records = new SandboxRows(config.registry());
    Forker forker = new Forker(vmm, workplaces, identities, live, records);
    Manifest.Vmm here = SnapshotBuilder.here(vmm);
    LayerPool layers = new LayerPool();
    Templates templates = new Templates(store, here, layers);
    Foreground foreground = new Foreground(2 * host.cores());
    News news = new News(new Events());
    Obituaries obituaries = new EndRows(config.registry(), news.events());
    SandboxTable sandboxes = new SandboxTable(obituaries);
    PausedSandboxes paused = new PausedSandboxes();
    HostBoot boot = new HostBoot(config.registry().meta());
    new Adoption(vmm, workplaces, confinement, records, obituaries, boot.isNew(), live)
        .into(sandboxes, paused);
    boot.settled();
    Path data = config.locations().data();
    DiskBudget disk = new DiskBudget(data);
    Admission admission =
        new Admission(
            config.policy(),
            MOST_SLOTS,
            () -> sandboxes.all().stream().map(it -> it.sandboxRecord().given().limits()).toList(),
            HostRoom::read,
            disk);
    Pools pools =
        new Pools(
            tag -> {
              admission.requireHost(1);
              try (Templates.Lease origin = templates.lease(tag)) {
                return forker.park(origin, SandboxId.of(identities.newBatch(), 0));
              }
            },
            foreground,
            Math.max(0.5, host.cores() / 2.0),
            new PoolFile(data.resolve("pools.json")));
    SnapshotViews views = new SnapshotViews(here, data.resolve("snapshots"));
    Shelf shelf = new Shelf(store, views, templates, sandboxes, paused, pools);
    Fleet fleet = new Fleet(forker, identities, foreground, sandboxes, pools, admission);
    Scribe scribe = new Scribe();
    Brancher brancher = new Brancher(store, templates, layers, scribe, identities, live, disk);
    Rollback rollback = new Rollback(vmm, templates, identities, sandboxes, live);
    Branches branches = new Branches(brancher, rollback, fleet, shelf, live);
    Compactor compactor = new Compactor(store, templates, identities);
    Pauser pauser =
        new Pauser(
            store, shelf, templates, branches, forker, sandboxes, paused, records, admission);
    ForkDesk forks =
        new ForkDesk(
            config.policy(), shelf, templates, fleet, foreground, news, workplaces.wiring());
    SandboxDesk desk =
        new SandboxDesk(
            sandboxes, paused, pauser, obituaries, news, admission, workplaces.wiring());
    return new HostParts(
        "%s (%s)".formatted(vmm.info().summary(), host.accelerator().reason()),
        config.policy(),
        templates,
        new SnapshotBuilder(
            store,
            new Images(data.resolve("images"), host.arch()),
            config.recipes(),
            vmm,
            workplaces,
            identities,
            disk),
        shelf,
        compactor,
        forks,
        branches,
        new Comparer(templates, forker, identities, brancher, desk::awake),
        foreground,
        sandboxes,
        desk,
        new WorkspaceDesk(
            new WorkspaceRows(config.registry()),
            store,
            shelf,
            compactor,
            sandboxes,
            paused,
            pauser,
            forks,
            desk,
            identities),
        pools,
        scribe,
        new Keeper(sandboxes, templates, shelf, desk::pause),
        confinement,
        workplaces.wiring(),
        news,
        admission,
        new ReadinessChecks(config.registry(), data, config.locations().run(), disk));
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
