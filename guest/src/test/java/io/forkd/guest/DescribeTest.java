package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent tells of single files, and of processes. */
@Timeout(300)
class DescribeTest {
  private HostAgent host;
  private Agent agent;

  @BeforeEach
  void start() {
    host = HostAgent.isolated(1);
    agent = host.connect();
  }

  @AfterEach
  void stop() throws InterruptedException {
    agent.close();
    host.assertCleanExit();
    host.close();
  }

  @Test
  void describesWhatIsAtAPathAndLeavesOutWhereNothingIs() throws IOException {
    Files.writeString(host.root().resolve("etc/motd"), "hi\n");
    Files.createSymbolicLink(host.root().resolve("config"), Path.of("etc"));

    List<GuestEntry> told =
        agent.describe(
            List.of("/no", "/config", "/config/motd", "/etc/motd", "/etc/motd/no", "/"), PATIENCE);

    assertThat(told).extracting(GuestEntry::path).containsExactly("/config", "/etc/motd", "/");
    assertThat(told.get(0).type()).isEqualTo(GuestEntry.Type.SYMLINK);
    assertThat(told.get(1).size()).isEqualTo(3);
    assertThat(told.get(2).type()).isEqualTo(GuestEntry.Type.DIRECTORY);
    assertThat(agent.describe(List.of(), PATIENCE)).isEmpty();
  }

  @Test
  void describesMorePathsThanFitAWindowOrAQuestion() {
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < 2 * Inspection.DESCRIBED_AT_ONCE + 1; i++) {
      paths.add(i % 2 == 0 ? "/etc" : "/" + "n".repeat(200) + i);
    }
    assertThat(agent.describe(paths, PATIENCE)).hasSize(Inspection.DESCRIBED_AT_ONCE + 1);
  }

  @Test
  void readsAFileThatIsLongerThanAWindow() throws IOException {
    byte[] content = CobsTest.randomBytes(new java.util.Random(3), 3_000_000);
    Files.write(host.root().resolve("large"), content);
    Files.write(host.root().resolve("empty"), new byte[0]);
    assertThat(agent.readFile("/large", 3_000_000, PATIENCE)).isEqualTo(content);
    assertThat(agent.readFile("/empty", 0, PATIENCE)).isEmpty();
  }

  @Test
  void readsNothingButARegularFileOfTheRightSize() throws IOException {
    Files.writeString(host.root().resolve("long"), "0123456789");
    Files.createSymbolicLink(host.root().resolve("link"), Path.of("long"));
    sh("mkfifo %s/pipe".formatted(host.root()));
    assertRefused(() -> agent.readFile("/long", 9, PATIENCE)).hasMessageContaining("10 bytes");
    assertRefused(() -> agent.readFile("/link", 99, PATIENCE)).hasMessageContaining("regular");
    assertRefused(() -> agent.readFile("/pipe", 99, PATIENCE)).hasMessageContaining("regular");
    assertRefused(() -> agent.readFile("/etc", 99, PATIENCE)).hasMessageContaining("regular");
    assertRefused(() -> agent.readFile("/no", 99, PATIENCE)).hasMessageContaining("exist");
    assertThatThrownBy(() -> agent.readFile("/etc/../long", 99, PATIENCE))
        .hasMessageContaining("absolute");
    assertThat(agent.readFile("/long", 10, PATIENCE)).hasSize(10);
  }

  @Test
  void listsProcessesButNotTheKernelsNorItsOwnHelpers() {
    String pid = sh("exec 3>&- sleep 1000 >/dev/null 2>&1 & echo $!").strip();
    long agentPid = agent.ping(PATIENCE).pid();

    List<GuestProcess> told = agent.processes(PATIENCE);

    GuestProcess sleeper =
        told.stream().filter(p -> p.pid() == Long.parseLong(pid)).findFirst().orElseThrow();
    assertThat(sleeper.name()).isEqualTo("sleep");
    assertThat(sleeper.command()).containsExactly("sleep", "1000");
    assertThat(told).extracting(GuestProcess::pid).contains(agentPid).doesNotHaveDuplicates();
    assertThat(told).noneMatch(p -> p.parent() == agentPid && p.name().equals("forkd-agent"));
    assertThat(told).noneMatch(p -> p.parent() == 2 || p.name().startsWith("kworker"));
    sh("kill " + pid);
  }

  @Test
  void saysThatAGuestHasNoOverlay() throws InterruptedException {
    try (HostAgent plain = HostAgent.start()) {
      try (Agent other = plain.connect()) {
        assertThatThrownBy(() -> other.changedFiles(PATIENCE))
            .isInstanceOf(ForkdException.class)
            .hasMessageContaining("no overlay");
        assertThat(other.describe(List.of("/etc"), PATIENCE)).hasSize(1);
      }
      plain.assertCleanExit();
    }
  }

  private String sh(String command) {
    ExecResult result = agent.exec(ExecRequest.of(List.of("sh", "-c", command), PATIENCE));
    assertThat(result.exitCode()).as(result.stderr()).isZero();
    return result.stdout();
  }

  private static AbstractThrowableAssert<?, ?> assertRefused(ThrowingCallable call) {
    return assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
