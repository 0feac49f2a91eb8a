package io.forkd.bench;

import java.nio.file.Path;

/** Another way to run the workload. */
interface Peer {
  String name();

  /** The Debian package it comes from. */
  String debianPackage();

  /** Whether its program is there. */
  boolean installed();

  /** The program's own word for its version. */
  String version(Path work);

  /**
   * Does the workload many times.
   *
   * @param work an empty folder, removed afterwards
   */
  Result run(Path work, Narrator narrator);
}
