package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.guest.MetricsCall.CpuTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a guest says it uses, compared with what the JDK knows of the same machine. */
@Timeout(120)
class MetricsTest extends FilesFixture {
  @Test
  void theNumbersAreTheMachines() throws Exception {
    GuestMetrics metrics = agent().metrics(PATIENCE);
    List<String> cpus =
        Files.readAllLines(Path.of("/proc/stat")).stream()
            .filter(line -> line.matches("cpu\\d.*"))
            .toList();
    assertThat(metrics.cpus()).isEqualTo(cpus.size());
    String total = Files.readAllLines(Path.of("/proc/meminfo")).getFirst();
    assertThat(metrics.memoryTotal()).isEqualTo(Long.parseLong(total.replaceAll("\\D", "")) * 1024);
    assertThat(metrics.memoryUsed()).isBetween(1L, metrics.memoryTotal());
    assertThat(metrics.memoryCache()).isBetween(0L, metrics.memoryTotal());
    assertThat(metrics.diskTotal()).isEqualTo(Files.getFileStore(Path.of("/")).getTotalSpace());
    assertThat(metrics.diskUsed()).isBetween(1L, metrics.diskTotal());
    assertThat(metrics.cpuUsedPercent()).isBetween(0.0, 100.0);
    assertThat(agent().metrics(PATIENCE).cpuUsedPercent()).isBetween(0.0, 100.0);
  }

  @Test
  void usageIsWhatWasUsedSinceTheLastQuestion() {
    CpuTime first = new CpuTime(100, 1000);
    assertThat(first.percentSince(CpuTime.AT_BOOT)).isEqualTo(10);
    assertThat(new CpuTime(150, 1100).percentSince(first)).isEqualTo(50);
    assertThat(first.percentSince(first)).isZero();
    assertThat(first.percentSince(new CpuTime(150, 1100))).isEqualTo(10);
  }
}
