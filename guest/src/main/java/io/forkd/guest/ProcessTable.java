package io.forkd.guest;

import java.io.OutputStream;
import java.util.List;

/**
 * The processes that were started through the agent and not forgotten yet. They belong to the
 * guest: they go on when nobody listens, when the daemon is gone, and in every fork of it.
 */
public interface ProcessTable {
  /**
   * Starts a program. A folder that is not there, an unknown user or a program that cannot be run
   * fails with {@link GuestRefusal}.
   */
  ProcessStream start(ProcessSpec spec);

  /**
   * Listens to a process that was started before; one that has ended lately still tells how.
   *
   * @param replay whether the last output that is still kept comes first
   */
  ProcessStream attach(ProcessRef which, boolean replay);

  /** Those that run, and those that ended lately. */
  List<ProcessInfo> list();

  /** Sends a signal to the process's group. */
  void signal(ProcessRef which, int signal);

  /** Changes the size of its terminal. */
  void resize(ProcessRef which, TerminalSize size);

  /**
   * Something that writes to the process's input. A write waits while the process does not read.
   * Closing it does not close the process's input.
   */
  OutputStream input(ProcessRef which);

  /** Ends the process's input. */
  void closeInput(ProcessRef which);
}
