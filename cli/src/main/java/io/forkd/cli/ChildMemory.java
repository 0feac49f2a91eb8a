package io.forkd.cli;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a child costs in memory: the anonymous pages of its VMM, as the kernel counts them. */
final class ChildMemory {
  private static final Pattern ANONYMOUS = Pattern.compile("(?m)^Anonymous:\\s+([0-9]+) kB");

  private ChildMemory() {}

  /** Bytes, or -1 when the process is gone or not ours to look at. */
  static long ofProcess(long pid) {
    Matcher matcher = ANONYMOUS.matcher(Host.read("/proc/" + pid + "/smaps_rollup").orElse(""));
    return matcher.find() ? Long.parseLong(matcher.group(1)) * 1024 : -1;
  }
}
