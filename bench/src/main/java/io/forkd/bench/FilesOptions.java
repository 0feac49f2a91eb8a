package io.forkd.bench;

import java.util.Optional;

/**
 * What {@code bench files} is to do.
 *
 * @param mib how large the file is
 * @param memoryMib what the sandbox may take of the host's memory; empty means no limit
 * @param path where the file is written in the sandbox
 */
record FilesOptions(String tag, int mib, Optional<Integer> memoryMib, String path, boolean json)
    implements BenchOptions {}
