package io.forkd.bench;

import io.forkd.client.BranchMode;
import java.nio.file.Path;
import java.util.List;

/**
 * What {@code bench branch} is to measure.
 *
 * @param dirtyMib how much memory a sandbox has changed when it is branched, smallest first
 * @param depths how many branches lie between the snapshot and the sandbox that is branched,
 *     smallest first
 * @param repeat how often each thing is measured
 * @param writerMibS how fast the guest goes on writing while it is branched; 0 means not at all
 */
record BranchOptions(
    String tag,
    List<Integer> dirtyMib,
    List<BranchMode> modes,
    List<Integer> depths,
    int repeat,
    int writerMibS,
    boolean json,
    Path out)
    implements BenchOptions {
  BranchOptions {
    dirtyMib = List.copyOf(dirtyMib);
    modes = List.copyOf(modes);
    depths = List.copyOf(depths);
  }
}
