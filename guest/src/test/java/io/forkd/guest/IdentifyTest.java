package io.forkd.guest;

import static io.forkd.guest.HostAgent.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IdentifyTest {
  private static final String MACHINE_ID = "0123456789abcdef0123456789abcdef";

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
  void makesAChildItselfWithoutWaitingForTheGreeting() throws IOException {
    Files.writeString(host.root().resolve("etc/hosts"), "10.0.0.1\tx\n127.0.1.1\told\n");
    ForkProof proof = identify("sb-one", 1);
    assertThat(proof.hostname()).isEqualTo("sb-one");
    assertThat(proof.machineId()).isEqualTo(MACHINE_ID);
    assertThat(proof.entropyBytes()).isEqualTo(64);
    assertThat(proof.clockErrorMs()).isBetween(-1000L, 1000L);
    assertThat(proof.kernelUuid()).hasSize(36).isNotEqualTo(proof.bootId());
    assertThat(etc("hostname")).isEqualTo("sb-one\n");
    assertThat(etc("machine-id")).isEqualTo(MACHINE_ID + "\n");
    assertThat(etc("hosts")).isEqualTo("10.0.0.1\tx\n127.0.1.1\tsb-one\n");
    assertThat(sh("hostname; cat /proc/sys/kernel/random/boot_id; echo $FORKD_SANDBOX_ID"))
        .isEqualTo("sb-one\n%s\nsb-0011223344-0001\n".formatted(proof.bootId()));
  }

  @Test
  void givesEveryForkAnotherBootIdAndOtherRandomNumbers() {
    agent.startRuntime("python", PATIENCE);
    ForkProof first = identify("sb-one", 1);
    String firstDraw = draw();
    ForkProof second = identify("sb-two", 2);
    assertThat(second.bootId()).isNotEqualTo(first.bootId());
    assertThat(sh("cat /proc/sys/kernel/random/boot_id")).isEqualTo(second.bootId() + "\n");
    assertThat(draw()).isNotEqualTo(firstDraw);
    assertThat(second.hooks()).contains("python:random");
    assertThat(agent.eval("import os; os.environ['FORKD_SANDBOX_ID']", PATIENCE).result())
        .contains("'sb-0011223344-0001'");
  }

  @Test
  void runsTheHooksOfUserCodeAndFailsWithThem() {
    agent.eval("import forkd\nran = []\n@forkd.after_fork\ndef note(): ran.append(1)", PATIENCE);
    assertThat(identify("sb-one", 1).hooks())
        .startsWith("python:random")
        .endsWith("python:note")
        .isSubsetOf("python:random", "python:numpy.random", "python:note");
    assertThat(agent.eval("ran", PATIENCE).result()).contains("[1]");
    agent.eval("forkd.after_fork(lambda: 1/0)", PATIENCE);
    assertThatThrownBy(() -> identify("sb-two", 2))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("'python'")
        .hasMessageContaining("ZeroDivisionError");
  }

  @Test
  void reseedsInTheMiddleOfAnEval() throws Exception {
    agent.startRuntime("python", PATIENCE);
    Path seen = host.root().resolve("seen");
    Thread busy =
        Thread.ofVirtual()
            .start(
                () ->
                    agent.eval(
                        "import os\nopen('%s', 'w').close()\nwhile 'FORKD_SANDBOX_ID' not in os.environ: pass"
                            .formatted(seen),
                        PATIENCE));
    Deadline deadline = Deadline.in(PATIENCE);
    while (!Files.exists(seen)) {
      assertThat(deadline.passed()).isFalse();
      HostAgent.sleep();
    }
    assertThat(identify("sb-one", 1).hooks()).contains("python:random");
    busy.join();
  }

  @Test
  void runsTheImagesHooksInOrderAndNamesTheOneThatFails() throws IOException {
    Path folder = Files.createDirectories(host.root().resolve("etc/forkd/post-fork.d"));
    Path log = host.root().resolve("log");
    hook(folder, "20-second", "echo second $FORKD_SANDBOX_ID >> " + log);
    hook(folder, "10-first", "echo first >> " + log);
    Files.writeString(folder.resolve("README"), "not a hook");
    assertThat(identify("sb-one", 1).hooks())
        .containsExactly("post-fork.d:10-first", "post-fork.d:20-second");
    assertThat(Files.readString(log)).isEqualTo("first\nsecond sb-0011223344-0001\n");
    hook(folder, "15-bad", "exit 7");
    assertThatThrownBy(() -> identify("sb-two", 2))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("15-bad")
        .hasMessageContaining("exit code 7");
  }

  @Test
  void refusesNamesThatCouldBreakAFile() {
    assertThatThrownBy(() -> identify("evil\nname", 1))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("message");
    assertThat(agent.ping(PATIENCE).pid()).isPositive();
  }

  @Test
  void refusesToTouchAMachineItIsNotPid1Of() throws InterruptedException {
    try (HostAgent plain = HostAgent.start()) {
      try (Agent other = plain.connect()) {
        assertThatThrownBy(() -> other.identify(identity("sb-one", 1), PATIENCE))
            .isInstanceOf(ForkdException.class)
            .hasMessageContaining("outside a guest");
      }
      plain.assertCleanExit();
    }
  }

  private ForkProof identify(String hostname, int seed) {
    return agent.identify(identity(hostname, seed), PATIENCE);
  }

  static ForkIdentity identity(String hostname, int seed) {
    byte[] entropy = new byte[64];
    Arrays.fill(entropy, (byte) seed);
    return new ForkIdentity("sb-0011223344-0001", hostname, MACHINE_ID, entropy);
  }

  private String draw() {
    return agent.eval("import random; random.getrandbits(128)", PATIENCE).result().orElseThrow();
  }

  private String sh(String command) {
    return agent.exec(ExecRequest.of(List.of("sh", "-c", command), PATIENCE)).stdout();
  }

  private String etc(String file) throws IOException {
    return Files.readString(host.root().resolve("etc").resolve(file));
  }

  private static void hook(Path folder, String name, String command) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + command + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
