package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import io.forkd.core.Egress;
import io.forkd.core.Limits;
import io.forkd.core.Policy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the daemon makes of its command line, environment and config file. */
class DaemonSettingsTest {
  @TempDir Path data;

  private DaemonOptions parse(Map<String, String> env, String... args) {
    return DaemonOptions.parse(List.of(args), env, new Locations(data, Path.of("/run/f")));
  }

  private void write(String config) throws IOException {
    Files.writeString(data.resolve("daemon.toml"), config);
  }

  @Test
  void decidesNothingUnlessTold() {
    assertThat(parse(Map.of()).policy()).isEqualTo(Policy.DEFAULT);
  }

  @Test
  void takesAPolicyFromTheCommandLine() {
    Policy policy =
        parse(
                Map.of(),
                "--max-sandboxes",
                "50",
                "--memory-budget-mib=65536",
                "--reserve-memory-mib",
                "2048",
                "--default-memory-mib",
                "512",
                "--default-cpus",
                "0.5",
                "--default-pids",
                "256",
                "--default-io-bytes-per-sec",
                "10000000",
                "--no-network",
                "--default-egress",
                "allow:WWW.Example.com,*.example.org,192.0.2.0/24,198.51.100.7")
            .policy();
    assertThat(policy)
        .isEqualTo(
            new Policy(
                new Limits(
                    Optional.of(512), Optional.of(0.5), Optional.of(256), Optional.of(10_000_000L)),
                new Egress.Allowlist(
                    List.of("www.example.com", "*.example.org"),
                    List.of("192.0.2.0/24", "198.51.100.7/32")),
                Optional.of(50),
                Optional.of(65_536L),
                Optional.of(2_048L),
                false));
  }

  @Test
  void takesAPolicyFromTheConfigFile() throws IOException {
    write(
        """
        # What operators decide.
        max-sandboxes = 50   # at once
        memory-budget-mib = 65_536

        default-cpus = 0.5
        default-egress = "none"
        no-network = true
        token-file = 'secret/token'
        recipes = "../recipes"
        """);
    DaemonOptions options = parse(Map.of());
    assertThat(options.policy().mostSandboxes()).contains(50);
    assertThat(options.policy().mostMemoryMib()).contains(65_536L);
    assertThat(options.policy().limits().cpus()).contains(0.5);
    assertThat(options.policy().egress()).isEqualTo(Egress.NONE);
    assertThat(options.policy().network()).isFalse();
    assertThat(options.access().tokenFile()).contains(data.resolve("secret/token"));
    assertThat(options.recipes()).isEqualTo(data.resolveSibling("recipes"));
  }

  @Test
  void theCommandLineComesBeforeTheEnvironmentAndThatBeforeTheFile() throws IOException {
    write("max-sandboxes = 1\ndefault-pids = 100\ndefault-memory-mib = 100\nno-network = true\n");
    Policy policy =
        parse(
                Map.of(
                    "FORKD_DAEMON_MAX_SANDBOXES", "2",
                    "FORKD_DAEMON_DEFAULT_PIDS", "200",
                    "FORKD_DAEMON_NO_NETWORK", "false",
                    "FORKD_DAEMON_LISTEN", "",
                    "FORKD_TOKEN_FILE", "/the/clients"),
                "--max-sandboxes",
                "3")
            .policy();
    assertThat(policy.mostSandboxes()).contains(3);
    assertThat(policy.limits().pids()).contains(200);
    assertThat(policy.limits().memoryMib()).contains(100);
    assertThat(policy.network()).isTrue();
  }

  @Test
  void readsTheConfigFileThatIsNamedInsteadOfTheUsualOne() throws IOException {
    write("max-sandboxes = 1\n");
    Path other = Files.writeString(data.resolve("other.toml"), "default-pids = 99\n");
    Policy named = parse(Map.of(), "--config", other.toString()).policy();
    assertThat(named.mostSandboxes()).isEmpty();
    assertThat(named.limits().pids()).contains(99);
    assertThat(parse(Map.of("FORKD_DAEMON_CONFIG", other.toString())).policy()).isEqualTo(named);
  }

  @Test
  void aConfigFileThatIsNamedMustExist() {
    assertThatThrownBy(() -> parse(Map.of(), "--config", data.resolve("nope").toString()))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("Cannot read the config file " + data.resolve("nope"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "max-sandbox = 1|line 1 of {file} sets 'max-sandbox', which is no option",
        "config = \"x\"|sets 'config', which is no option",
        "[limits]|Cannot read line 1 of {file}: '[limits]'",
        "max-sandboxes|Cannot read line 1",
        "max-sandboxes = |Cannot read line 1",
        "max-sandboxes = 1 2|Cannot read line 1",
        "listen = 127.0.0.1|put \"\" around the text of listen",
        "listen = \"127.0.0.1:1|Cannot read line 1",
        "max-sandboxes = \"many\"|--max-sandboxes is 'many' (from line 1 of {file}): use a number",
        "no-network = 1|--no-network is '1' (from line 1 of {file}): use true or false."
      })
  void refusesAConfigFileItDoesNotUnderstand(String line, String reason) throws IOException {
    write(line + "\n");
    assertThatThrownBy(() -> parse(Map.of()))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining(reason.replace("{file}", data.resolve("daemon.toml").toString()));
  }

  @Test
  void refusesAKeyThatIsThereTwice() throws IOException {
    write("max-sandboxes = 1\n\nmax-sandboxes = 1\n");
    assertThatThrownBy(() -> parse(Map.of())).hasMessageContaining("twice, again in line 3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--max-sandboxes 0|--max-sandboxes is '0' (from the command line): use a number from 1 to",
        "--max-sandboxes 1.5|--max-sandboxes is 1.5: use a whole number.",
        "--max-sandboxes 99999999999999999999|use a number from 1 to",
        "--max-sandboxes 1e999999999|use a number from 1 to",
        "--max-sandboxes=|--max-sandboxes needs a value",
        "--reserve-memory-mib -1|use a number from 0 to",
        "--default-memory-mib 15|use a number from 16 to 1048576",
        "--default-cpus 0.01|use a number from 0.05 to 1024",
        "--default-cpus NaN|use a number from 0.05",
        "--default-pids 3|use a number from 16",
        "--default-io-bytes-per-sec 9|use a number from 65536",
        "--default-egress all|--default-egress is 'all': use none, internet or allow:",
        "--default-egress allow:|cannot be among the allowlist's domains",
        "--default-egress allow:a..b|a..b' cannot be among the allowlist's domains",
        "--default-egress allow:10.0.0.1/8|10.0.0.1/8' cannot be among the allowlist's cidrs",
        "--default-egress allow:10.0.0.256|--default-egress: ",
        "--default-egress allow:10.0.0.0/33|--default-egress: ",
        "--default-egress allow:2001:db8::/32|--default-egress: ",
        "--no-network yes|Unknown option yes",
        "--no-network=maybe|use true or false"
      })
  void refusesValuesThatMakeNoSense(String args, String reason) {
    assertThatThrownBy(() -> parse(Map.of(), args.split(" ")))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void refusesAVariableThatIsNoOption() {
    assertThatThrownBy(() -> parse(Map.of("FORKD_DAEMON_MAX_SANDBOX", "1")))
        .hasMessageContaining("FORKD_DAEMON_MAX_SANDBOX is no option");
  }

  @ParameterizedTest
  @EnumSource(DaemonOption.class)
  void everyOptionIsExplainedAndHasANameInEachPlace(DaemonOption option) {
    assertThat(DaemonOption.help()).contains("  " + option.flag() + " ");
    assertThat(option.variable()).matches("FORKD_DAEMON_[A-Z0-9_]+");
    assertThat(DaemonOption.ofFlag("--" + option.key())).contains(option);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0.0.0.0/0", "10.0.0.0/8", "192.0.2.1/32"})
  void rangesKeepTheirSpelling(String range) {
    assertThat(EgressText.parse("egress", "allow:" + range))
        .isEqualTo(new Egress.Allowlist(List.of(), List.of(range)));
  }
}
