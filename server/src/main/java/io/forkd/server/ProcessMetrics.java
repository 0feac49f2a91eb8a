package io.forkd.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** What the daemon's process and its JVM use. */
final class ProcessMetrics {
  private static final Path SELF = Path.of("/proc/self");

  private ProcessMetrics() {}

  static void writeTo(MetricText text) {
    writeCollectors(text, ManagementFactory.getGarbageCollectorMXBeans());
    writeMemory(text, ManagementFactory.getMemoryMXBean());
    text.gauge("process_open_fds", "Open file descriptors.", openDescriptors());
    text.gauge("process_resident_memory_bytes", "Resident memory.", residentBytes());
  }

  private static void writeCollectors(MetricText text, List<GarbageCollectorMXBean> collectors) {
    text.family("jvm_gc_seconds_total", "counter", "Time spent collecting garbage.");
    for (GarbageCollectorMXBean collector : collectors) {
      text.sample(
          "jvm_gc_seconds_total",
          List.of("gc"),
          List.of(collector.getName()),
          Math.max(0, collector.getCollectionTime()) / 1000.0);
    }
  }

  private static void writeMemory(MetricText text, MemoryMXBean memory) {
    String name = "jvm_memory_used_bytes";
    List<String> label = List.of("area");
    text.family(name, "gauge", "Memory of the JVM in use.")
        .sample(name, label, List.of("heap"), memory.getHeapMemoryUsage().getUsed())
        .sample(name, label, List.of("nonheap"), memory.getNonHeapMemoryUsage().getUsed());
  }

  private static long openDescriptors() {
    try (Stream<Path> descriptors = Files.list(SELF.resolve("fd"))) {
      return descriptors.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static long residentBytes() {
    try (Stream<String> lines = Files.lines(SELF.resolve("status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
