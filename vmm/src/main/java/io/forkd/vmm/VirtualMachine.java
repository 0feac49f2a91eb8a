package io.forkd.vmm;

import io.forkd.base.ForkdException;
import io.forkd.linux.HostProcess;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One running VMM process and the guest in it. Closing lets go of it; only {@link #kill} ends it.
 */
public interface VirtualMachine extends AutoCloseable {
  HostProcess process();

  /** A Unix socket that leads to the agent; it accepts one connection at a time. */
  Path agentSocket();

  /**
   * The number of the userfaultfd the VMM holds for us, when it was asked for at restore and could
   * be had. Empty for adopted VMs: whoever adopts must have noted it.
   */
  OptionalInt writeTracker();

  /** Stops the virtual CPUs and lets devices finish what is under way. */
  void pause();

  void resume();

  /**
   * Has the VMM tell all memory while the guest runs, and again what it writes meanwhile, until
   * little is left; then it stops the guest, writes down {@link #deviceState} and tells the rest.
   * Afterwards the guest stands still when the copy is whole, until {@link #resume}, and runs when
   * not.
   *
   * @throws ForkdException when the VMM tells nonsense; the guest runs then
   */
  MemoryCopy streamMemory(long guestBytes, PageSink sink);

  /** Whether the virtual CPUs run: not when paused, and not when the guest has stopped itself. */
  boolean running();

  /**
   * Has the VMM write down the state of CPUs and devices, without memory, for {@link #deviceState}.
   * The VM must be paused; no disk is involved.
   */
  void saveDeviceState();

  /** What the last {@link #saveDeviceState} wrote; also when the VM runs again. */
  byte[] deviceState();

  /** Loads the device state given at restore. Memory must be final by now. */
  void loadDeviceState();

  /**
   * That the guest of a sandbox stopped itself; known before its process, which ends then, is gone.
   */
  Optional<GuestStop> guestStop();

  /** The last of what the guest's kernel and agent wrote to the console. */
  String consoleTail();

  /** Ends the VMM process and waits until it is gone. */
  void kill(Duration wait);

  @Override
  void close();
}
