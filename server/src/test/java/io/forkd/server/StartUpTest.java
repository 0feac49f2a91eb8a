package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import io.forkd.base.ForkdException;
import io.forkd.base.Locations;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StartUpTest {
  private static final Locations LOCATIONS = new Locations(Path.of("/data"), Path.of("/run/f"));

  @TempDir Path folder;

  @Test
  void hasDefaultsForEverything() {
    DaemonOptions options = DaemonOptions.parse(List.of(), Map.of(), LOCATIONS);
    assertThat(options.socket()).isEqualTo(Path.of("/run/f/forkd.sock"));
    assertThat(options.recipes()).isEqualTo(Path.of("/data/recipes"));
    assertThat(options.access().listen()).isEmpty();
    assertThat(options.access().tokenFile()).isEmpty();
  }

  @Test
  void takesEveryOption() {
    DaemonOptions options =
        DaemonOptions.parse(
            List.of(
                "--listen",
                "0.0.0.0:8889",
                "--token-file",
                "/t",
                "--tls-cert",
                "/c.pem",
                "--tls-key",
                "/k.pem",
                "--insecure",
                "--socket-group",
                "staff",
                "--rate-limit",
                "5:7",
                "--requests-at-once",
                "9",
                "--socket",
                "/s",
                "--recipes",
                "/r/../q"),
            Map.of(),
            LOCATIONS);
    assertThat(options.access().listen()).contains(new InetSocketAddress("0.0.0.0", 8889));
    assertThat(options.access().tokenFile()).contains(Path.of("/t"));
    assertThat(options.access().tls())
        .contains(new AccessOptions.Tls(Path.of("/c.pem"), Path.of("/k.pem")));
    assertThat(options.access().insecure()).isTrue();
    assertThat(options.access().socketGroup()).contains("staff");
    assertThat(options.access().limits()).isEqualTo(new Throttle.Limits(5, 7, 9));
    assertThat(options.socket()).isEqualTo(Path.of("/s"));
    assertThat(options.recipes()).isEqualTo(Path.of("/q"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--nope x|Unknown option --nope",
        "serve|Unknown option serve",
        "--socket|--socket needs a value",
        "--listen 127.0.0.1:1 --listen 127.0.0.1:2|--listen is given twice",
        "--listen 8889|is not HOST:PORT",
        "--listen 127.0.0.1|is not HOST:PORT",
        "--listen 127.0.0.1:|is not HOST:PORT",
        "--listen 127.0.0.1:65536|is not HOST:PORT",
        "--listen ::1:80|is not HOST:PORT",
        "--listen :80|is not HOST:PORT",
        "--listen no.such.host.invalid:80|cannot resolve",
        "--tls-cert /c|go together",
        "--tls-key /k|go together",
        "--rate-limit x|requests a second",
        "--rate-limit 1:|requests a second",
        "--requests-at-once 0|from 1 to",
        "--listen 0.0.0.0:80 --token-file /t|without TLS",
        "--listen 0.0.0.0:80|reachable from other hosts",
        "--listen [::]:80|reachable from other hosts",
        "--listen 10.1.2.3:80|reachable from other hosts"
      })
  void refusesWhatItDoesNotUnderstand(String args, String reason) {
    assertThatThrownBy(() -> DaemonOptions.parse(List.of(args.split(" ")), Map.of(), LOCATIONS))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining(reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1:0", "127.8.8.8:1", "[::1]:8889", "localhost:8889"})
  void listensOnLoopbackWithoutAToken(String address) {
    assertThat(
            DaemonOptions.parse(List.of("--listen", address), Map.of(), LOCATIONS)
                .access()
                .listen())
        .isPresent();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "short",
        "fifteen-bytes-x",
        "REPLACE_ME_REPLACE_ME",
        "replace-with-your-token",
        "changeme-changeme-changeme",
        "your-token-goes-here",
        "aaaaaaaaaaaaaaaaaaaaaaaa",
        "<paste the token here>",
        "<paste-the-token-here>",
        "xxxxxxxx-xxxx-xxxx-xxxx",
        "two-tokens-in-one-file\nsecond-token-in-it",
        "with space inside the token",
        "nön-ascii-token-is-refused"
      })
  void refusesTokensThatAreNoSecrets(String text) throws IOException {
    Path file = Secrets.write(folder.resolve("token"), text);
    assertThatThrownBy(() -> Token.read(file))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("is not fit")
        .hasMessageContaining("Next: ");
  }

  @Test
  void saysHowToMakeATokenFileThatIsMissing() {
    assertThatThrownBy(() -> Token.read(folder.resolve("nope")))
        .hasMessageContaining("Cannot read the token file")
        .hasMessageContaining("/dev/urandom");
  }

  @Test
  void aTokenMatchesItselfOnly() throws IOException {
    Token token = Token.read(Secrets.write(folder.resolve("t"), "  hW2-kd93-kd0s-2kd9\n"));
    assertThat(token.matches("hW2-kd93-kd0s-2kd9")).isTrue();
    assertThat(token.matches("hW2-kd93-kd0s-2kd8")).isFalse();
    assertThat(token.matches("")).isFalse();
  }

  @Test
  void refusesASocketPathTheKernelCannotBind() {
    assertThatThrownBy(() -> SocketPath.prepare(folder.resolve("x".repeat(120))))
        .hasMessageContaining("longer than 100 bytes");
  }

  @Test
  void jettyStaysInTheHttpPackage() {
    JavaClasses classes =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.forkd.server");
    ArchRuleDefinition.noClasses()
        .that()
        .resideOutsideOfPackage("io.forkd.server.http")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse.jetty..")
        .check(classes);
    ArchRuleDefinition.noClasses()
        .that()
        .resideInAPackage("io.forkd.server.http")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.forkd.server", "io.forkd.core..")
        .check(classes);
  }
}
