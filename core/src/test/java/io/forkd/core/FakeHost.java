package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.guest.Agent;
import io.forkd.linux.Signal;
import io.forkd.vmm.BootSpec;
import io.forkd.vmm.RestoreSpec;
import io.forkd.vmm.VirtualMachine;
import io.forkd.vmm.VmSite;
import io.forkd.vmm.Vmm;
import io.forkd.vmm.VmmInfo;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * A host whose VMs are sleeping processes and whose agents take every connection and never say a
 * word, or hang up at once.
 */
final class FakeHost implements Vmm, AutoCloseable {
  static final Tag TAG = Tag.of("python-numpy");

  final FakeConfinement confinement = new FakeConfinement();
  final FakeRecords records = new FakeRecords();
  final Workplaces workplaces;
  final List<FakeVm> vms = new CopyOnWriteArrayList<>();
  volatile boolean agentsHangUp;
  volatile boolean refusesToStart;
  volatile Consumer<FakeVm> atStart = vm -> {};

  private final AtomicInteger next = new AtomicInteger();
  private final ServerSocketChannel agents;
  private final Path agentSocket;
  private final Queue<SocketChannel> connections = new ConcurrentLinkedQueue<>();

  FakeHost(Path run) throws IOException {
    workplaces = new Workplaces(run, 4096, false, List.of(), confinement, Wiring.none());
    agentSocket = run.resolve("agents.sock");
    agents = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    agents.bind(UnixDomainSocketAddress.of(agentSocket));
    Thread.startVirtualThread(this::takeConnections);
  }

  private void takeConnections() {
    try {
      while (true) {
        SocketChannel channel = agents.accept();
        if (agentsHangUp) {
          channel.close();
        } else {
          connections.add(channel);
        }
      }
    } catch (IOException e) {
      // The test is over.
    }
  }

  SandboxId newId() {
    return SandboxId.of("0000000000", next.getAndIncrement());
  }

  /** A whole sandbox: place, process, line to the agent, record on disk. */
  LiveSandbox sandbox() {
    Workplace place = workplaces.make(newId());
    FakeVm vm = newVm();
    LiveSandbox sandbox =
        new LiveSandbox(
            place,
            records,
            vm,
            Agent.open(agentSocket),
            Optional.empty(),
            entry(place.id(), vm, place.slot()));
    sandbox.keep(sandbox.sandboxRecord());
    return sandbox;
  }

  static SandboxRecord entry(SandboxId id, VirtualMachine vm, int slot) {
    return new SandboxRecord(
        id,
        SandboxRecord.State.PARKED,
        TAG,
        "birth",
        slot,
        vm.process().pid(),
        vm.process().startTicks(),
        0,
        Optional.empty(),
        Optional.empty(),
        "",
        1_700_000_000,
        ChildSpec.PLAIN,
        false,
        Optional.empty(),
        Map.of(),
        Optional.empty(),
        0,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  FakeVm newVm() {
    FakeVm vm = new FakeVm(agentSocket);
    vms.add(vm);
    atStart.accept(vm);
    return vm;
  }

  long running() {
    return vms.stream().filter(FakeVm::running).count();
  }

  @Override
  public VmmInfo info() {
    return new VmmInfo("fake", "1.0.0", "any", "none/none", "none", 0);
  }

  @Override
  public VirtualMachine boot(BootSpec spec) {
    return newVm();
  }

  @Override
  public VirtualMachine restore(RestoreSpec spec) {
    if (refusesToStart) {
      throw ForkdException.conflict("no VM today");
    }
    return newVm();
  }

  @Override
  public VirtualMachine adopt(VmSite site, long pid, long startTime) {
    return vms.stream()
        .filter(vm -> vm.process().pid() == pid)
        .findFirst()
        .orElseThrow(() -> ForkdException.notFound("no VM %d", pid));
  }

  @Override
  public void close() throws IOException {
    vms.forEach(vm -> vm.process().kill(Signal.KILL));
    agents.close();
    for (SocketChannel channel : connections) {
      channel.close();
    }
  }
}
