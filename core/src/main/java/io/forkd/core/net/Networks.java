package io.forkd.core.net;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.core.Egress;
import io.forkd.linux.Netns;
import io.forkd.linux.Probe;
import io.forkd.linux.TapProbe;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The networks of one daemon's sandboxes, some of them made ahead in the background. */
public final class Networks implements AutoCloseable {
  private static final Duration LONGEST_MAKING = Duration.ofSeconds(10);

  /** Whether this host can give sandboxes a network. */
  public sealed interface Opened {
    record Ready(Networks networks) implements Opened {}

    /**
     * It cannot.
     *
     * @param reason a sentence for people
     */
    record Unavailable(String reason) implements Opened {}
  }

  private final SlotMaker maker;
  private final NetTools tools;
  private final NetworkOptions options;
  private final Upstream upstream;
  private final Set<NetworkSlot> used = ConcurrentHashMap.newKeySet();
  private final ReentrantLock lock = new ReentrantLock();
  private final Deque<NetworkSlot> spare = new ArrayDeque<>();
  private final Condition filled = lock.newCondition();
  private boolean filling;
  private boolean closed;

  private Networks(SlotNames names, NetTools tools, NetworkOptions options) {
    this.tools = tools;
    this.options = options;
    this.maker = new SlotMaker(names, options.host(), tools);
    this.upstream = new HostResolvers(options.host(), new ResolvConf(options.resolvConf()));
  }

  /**
   * Prepares the host and finds out, by making a first network, whether it can be done.
   *
   * @param run the daemon's run folder, which all names are derived from
   */
  public static Opened open(Path run, NetworkOptions options) {
    EgressRules.check(options.usual());
    try {
      NetTools tools = NetTools.find();
      Probe tap = TapProbe.run();
      if (!tap.works()) {
        return new Opened.Unavailable("no tap interface can be made: " + tap.reason());
      }
      return new Opened.Ready(new Networks(SlotNames.of(run), tools, options).begun());
    } catch (ForkdException e) {
      return new Opened.Unavailable(String.valueOf(e.getMessage()));
    }
  }

  private Networks begun() {
    DnsServer.warmUp();
    maker.installHostRules();
    try {
      addSpare(make());
    } catch (RuntimeException e) {
      removeIfUnused();
      throw e;
    }
    fill();
    return this;
  }

  /** A network of the usual egress. */
  public NetworkSlot take() {
    return take(options.usual());
  }

  /** A network for one sandbox: a spare one, or else one that is made now. */
  public NetworkSlot take(Egress egress) {
    NetworkSlot slot = pollSpare().orElseGet(this::make);
    used.add(slot);
    fill();
    try {
      slot.apply(egress);
      return slot;
    } catch (RuntimeException e) {
      slot.release();
      throw e;
    }
  }

  /**
   * The network of a sandbox that an earlier daemon made: its rules go on, its names are served
   * again.
   *
   * @param vmm the process that is in it
   * @param egress what was in force, and is if it was not
   * @return empty when there is no such network any more
   */
  public Optional<NetworkSlot> retake(String name, long vmm, Egress egress) {
    return maker.find(name, vmm).map(netns -> retake(netns, egress));
  }

  private NetworkSlot retake(Netns netns, Egress egress) {
    SlotPolicy policy = new SlotPolicy(tools, netns, egress);
    policy.confirm();
    NetworkSlot slot = serve(netns, policy);
    maker.adopt(netns);
    used.add(slot);
    return slot;
  }

  /**
   * Removes what an earlier daemon of this run folder left, all but the networks named and those in
   * use here.
   */
  public void sweep(Set<String> known) {
    int swept = maker.sweep(known);
    if (swept > 0) {
      Log.NET.info("removed {} networks that an earlier daemon left", swept);
    }
  }

  /** How many are ready to be taken. */
  public int ready() {
    lock.lock();
    try {
      return spare.size();
    } finally {
      lock.unlock();
    }
  }

  /** Whether as many are ready as are to be made ahead. */
  public boolean full() {
    return ready() >= options.spares();
  }

  /** How many sandboxes have one. */
  public int inUse() {
    return used.size();
  }

  private NetworkSlot make() {
    Netns netns = maker.make(options.usual());
    try {
      return serve(netns, new SlotPolicy(tools, netns, options.usual()));
    } catch (RuntimeException e) {
      maker.destroy(netns);
      throw e;
    }
  }

  private NetworkSlot serve(Netns netns, SlotPolicy policy) {
    DnsServer dns = DnsServer.open(netns, new Resolver(policy, upstream));
    return new NetworkSlot(netns, policy, dns, this::forget);
  }

  private void forget(NetworkSlot slot) {
    maker.destroy(slot.netns());
    used.remove(slot);
  }

  private Optional<NetworkSlot> pollSpare() {
    lock.lock();
    try {
      if (closed) {
        throw new ForkdException(ErrorCode.INTERNAL, "the networks are closed");
      }
      return Optional.ofNullable(spare.poll());
    } finally {
      lock.unlock();
    }
  }

  /** Keeps it for whoever comes next, or not when nobody will. */
  private void addSpare(NetworkSlot slot) {
    lock.lock();
    try {
      if (!closed) {
        spare.add(slot);
        return;
      }
    } finally {
      lock.unlock();
    }
    slot.release();
  }

  /** Makes spare ones in the background until there are enough; one such worker at a time. */
  private void fill() {
    lock.lock();
    try {
      if (filling || closed || spare.size() >= options.spares()) {
        return;
      }
      filling = true;
    } finally {
      lock.unlock();
    }
    Thread.ofVirtual().name("networks-fill").start(this::fillUp);
  }

  private void fillUp() {
    try {
      while (needsMore()) {
        addSpare(make());
      }
    } catch (RuntimeException e) {
      Log.NET.warn("no network could be made ahead: {}", e.getMessage());
      stopFilling();
    }
  }

  private boolean needsMore() {
    lock.lock();
    try {
      filling = !closed && spare.size() < options.spares();
      if (!filling) {
        filled.signalAll();
      }
      return filling;
    } finally {
      lock.unlock();
    }
  }

  private void stopFilling() {
    lock.lock();
    try {
      filling = false;
      filled.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Destroys the spare ones; those in use go on without a name server until they are retaken. */
  @Override
  public void close() {
    List<NetworkSlot> unused;
    lock.lock();
    try {
      closed = true;
      // One that is just being made would be nobody's when this process ends.
      awaitFilled();
      unused = List.copyOf(spare);
      spare.clear();
    } finally {
      lock.unlock();
    }
    unused.forEach(NetworkSlot::release);
    used.forEach(NetworkSlot::leave);
  }

  private void awaitFilled() {
    long left = LONGEST_MAKING.toNanos();
    try {
      while (filling && left > 0) {
        left = filled.awaitNanos(left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Removes the host's rules when no network of this run folder is left. */
  public void removeIfUnused() {
    if (!maker.anyLeft()) {
      maker.removeHostRules();
    }
  }
}
