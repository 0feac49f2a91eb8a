package io.forkd.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.client.Json;
import io.forkd.client.JsonObject;
import io.forkd.linux.Cgroups;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OciBundleTest {
  @Test
  void aBundleRunsTheWorkloadOnAReadOnlyRootWithoutRights(@TempDir Path folder) throws Exception {
    OciBundle.write(folder.resolve("b"), Path.of("/some/root"));
    JsonObject config = Json.parseObject(Files.readString(folder.resolve("b/config.json")));
    JsonObject root = config.object("root").orElseThrow();
    assertThat(root.text("path")).isEqualTo("/some/root");
    assertThat(root.flag("readonly")).isTrue();
    JsonObject process = config.object("process").orElseThrow();
    assertThat(process.texts("args")).isEqualTo(Workload.PROGRAM);
    assertThat(process.texts("env")).contains("OMP_NUM_THREADS=1", "PATH=/usr/bin:/bin");
    assertThat(process.flag("noNewPrivileges")).isTrue();
    assertThat(process.object("capabilities").orElseThrow().texts("bounding")).isEmpty();
    assertThat(config.object("linux").orElseThrow().texts("namespaces")).hasSize(5);
  }

  @Test
  void crunGetsAMountNamespaceOfItsOwnOnlyWhereItRefusesTheHostsControlGroups() {
    Path state = Path.of("/s");
    Path bundle = Path.of("/b");
    assertThat(
            ContainerRuntime.crun(Cgroups.Version.V2)
                .variants()
                .getFirst()
                .run(state, bundle, "id"))
        .containsExactly(
            "crun", "--root", "/s", "--cgroup-manager=cgroupfs", "run", "--bundle", "/b", "id");
    assertThat(
            ContainerRuntime.crun(Cgroups.Version.HYBRID).variants().getFirst().delete(state, "id"))
        .startsWith("unshare", "--mount")
        .endsWith("crun", "--root", "/s", "--cgroup-manager=cgroupfs", "delete", "--force", "id");
  }

  @Test
  void runscIsTriedOnItsNewPlatformBeforeTheOldOne() {
    assertThat(
            ContainerRuntime.runsc().variants().stream()
                .map(ContainerRuntime.Variant::options)
                .map(List::getLast))
        .containsExactly("--platform=systrap", "--platform=ptrace");
  }
}
