package io.forkd.core.net;

import io.forkd.base.ForkdException;
import io.forkd.core.Egress;
import io.forkd.linux.Netns;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;

/** The policy in force in one slot, in its rules and for its name service. */
final class SlotPolicy implements NamePolicy {
  private final NetTools tools;
  private final Netns netns;
  private final ReentrantLock lock = new ReentrantLock();
  private final Grants grants = new Grants(System::nanoTime);
  private volatile Egress egress;
  private volatile Reach reach;

  /** A policy that the rules of the namespace have already. */
  SlotPolicy(NetTools tools, Netns netns, Egress inForce) {
    this.tools = tools;
    this.netns = netns;
    this.egress = inForce;
    this.reach = EgressRules.reachOf(inForce);
  }

  Egress egress() {
    return egress;
  }

  @Override
  public Reach reach() {
    return reach;
  }

  /** Replaces the policy; when that fails the old one stays in force. */
  void apply(Egress wanted) {
    lock.lock();
    try {
      if (!wanted.equals(egress)) {
        force(wanted);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Makes sure that the rules are of this policy, which an earlier daemon set. */
  void confirm() {
    lock.lock();
    try {
      String shown =
          tools.nft(
              Optional.of(netns), "read the rules of " + netns.path(), SlotRules.showPolicy());
      if (!SlotRules.inForce(reach, shown)) {
        Log.NET.warn("the rules of {} are not those of its policy: set again", netns.path());
        force(egress);
      }
    } finally {
      lock.unlock();
    }
  }

  private void force(Egress wanted) {
    Reach next = EgressRules.reachOf(wanted);
    tools.nft(
        Optional.of(netns),
        "set the rules of " + netns.path(),
        SlotRules.policy(next, grants.keep(next)));
    reach = next;
    egress = wanted;
  }

  @Override
  public boolean grant(String name, Map<Long, Duration> found) {
    lock.lock();
    try {
      Reach now = reach;
      if (!now.answers(name)) {
        return false; // the policy changed while others were asked
      }
      Map<Long, Duration> closed = new HashMap<>(found);
      closed.keySet().removeIf(address -> !now.needsGrant(address));
      Map<Long, Duration> missing = grants.missing(closed);
      if (grants.size() + missing.size() > SlotRules.MOST_GRANTS) {
        Log.NET.debug("{} learned too many addresses at once", netns.path());
        return false;
      }
      if (!missing.isEmpty()) {
        tools.nft(
            Optional.of(netns), "open addresses in " + netns.path(), SlotRules.grant(missing));
      }
      grants.remember(name, closed.keySet(), missing);
      return true;
    } catch (ForkdException e) {
      Log.NET.warn("{}", e.getMessage());
      return false;
    } finally {
      lock.unlock();
    }
  }
}
