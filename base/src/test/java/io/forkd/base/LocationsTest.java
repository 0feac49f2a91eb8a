package io.forkd.base;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class LocationsTest {
  /** sun_path less its final NUL. */
  private static final int LONGEST_SOCKET_PATH = 107;

  static Stream<Arguments> dataFolders() {
    return Stream.of(
        Arguments.of(Map.of(), "/root/.local/share/forkd"),
        Arguments.of(Map.of("HOME", "/home/u"), "/home/u/.local/share/forkd"),
        Arguments.of(Map.of("HOME", "/home/u", "XDG_DATA_HOME", "/x"), "/x/forkd"),
        Arguments.of(Map.of("XDG_DATA_HOME", "/x", "FORKD_DATA", "/d"), "/d"),
        Arguments.of(Map.of("FORKD_DATA", "/srv//forkd/"), "/srv/forkd"),
        Arguments.of(Map.of("FORKD_DATA", "/srv/a/../b"), "/srv/b"));
  }

  @ParameterizedTest
  @MethodSource("dataFolders")
  void forkdDataWinsOverXdgWhichWinsOverHome(Map<String, String> env, String expected) {
    assertThat(Locations.of(env, true).data()).isEqualTo(Path.of(expected));
    assertThat(Locations.of(env, false).data()).isEqualTo(Path.of(expected));
  }

  @Test
  void aRelativeDataFolderIsTakenFromWhereWeAre() {
    assertThat(Locations.of(Map.of("FORKD_DATA", "d"), true).data())
        .isEqualTo(Path.of("d").toAbsolutePath());
  }

  @ParameterizedTest
  @CsvSource({
    "true,  ,          /run",
    "true,  /run/user/7, /run",
    "false, /run/user/7, /run/user/7",
    "false, ,          /tmp"
  })
  void theRunFolderLiesWhereItsOwnerMayMakeOne(boolean root, String xdgRuntime, String parent) {
    Map<String, String> env =
        xdgRuntime == null
            ? Map.of("FORKD_DATA", "/d")
            : Map.of("FORKD_DATA", "/d", "XDG_RUNTIME_DIR", xdgRuntime);
    Path run = Locations.of(env, root).run();
    assertThat(run.getParent()).isEqualTo(Path.of(parent));
    assertThat(run.getFileName().toString()).matches("forkd-[0-9a-f]{8}");
  }

  @ParameterizedTest
  @CsvSource({"/r, /r", "/r/../s/, /s"})
  void forkdRunWinsOverEverything(String forkdRun, String expected) {
    Map<String, String> env = Map.of("FORKD_RUN", forkdRun, "XDG_RUNTIME_DIR", "/run/user/7");
    assertThat(Locations.of(env, true).run()).isEqualTo(Path.of(expected));
    assertThat(Locations.of(env, false).run()).isEqualTo(Path.of(expected));
  }

  @Test
  void dataFoldersHaveRunFoldersOfTheirOwn() {
    Set<Path> runs = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      runs.add(Locations.of(Map.of("FORKD_DATA", "/srv/forkd-" + i), true).run());
    }
    assertThat(runs).hasSize(1000);
  }

  @Test
  void oneDataFolderHasOneRunFolderHoweverItIsSpelled() {
    assertThat(Locations.of(Map.of("FORKD_DATA", "/srv/./a/"), true))
        .isEqualTo(Locations.of(Map.of("FORKD_DATA", "/srv/a"), true));
  }

  @Test
  void theSocketsOfASandboxFitHoweverLongTheDataFolderIs() {
    Locations locations =
        Locations.of(Map.of("FORKD_DATA", "/" + "long/".repeat(500)), /* root= */ true);
    Path deepest = locations.run().resolve("sb/sb-0123456789abcdef-0000/agent.sock");
    assertThat(deepest.toString().getBytes(StandardCharsets.UTF_8))
        .hasSizeLessThanOrEqualTo(LONGEST_SOCKET_PATH);
  }

  @Test
  void namesTheFilesOfTheDaemon() {
    Locations locations = new Locations(Path.of("/d"), Path.of("/r"));
    assertThat(locations.socket()).isEqualTo(Path.of("/r/forkd.sock"));
    assertThat(locations.pidFile()).isEqualTo(Path.of("/r/daemon.pid"));
    assertThat(locations.log()).isEqualTo(Path.of("/d/log/daemon.log"));
  }
}
