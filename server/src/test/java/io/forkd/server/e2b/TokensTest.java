package io.forkd.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.SandboxId;
import io.forkd.server.e2b.Tokens.Purpose;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
  private static final SandboxId ONE = SandboxId.of("sb-0123456789-0000");
  private static final SandboxId OTHER = SandboxId.of("sb-0123456789-0001");

  private static final String KEY = "0123456789abcdef";

  private Set<String> keys = Set.of(KEY);
  private final Tokens tokens = new Tokens(new byte[32], () -> keys);

  @TempDir Path folder;

  @Test
  void tokensDifferBySandboxAndPurposeAndSecret() {
    byte[] another = new byte[32];
    another[0] = 1;

    String token = tokens.of(Purpose.ENVD, ONE, Optional.of(KEY));
    assertThat(token)
        .isEqualTo(new Tokens(new byte[32], Set::of).of(Purpose.ENVD, ONE, Optional.of(KEY)))
        .isNotEqualTo(tokens.of(Purpose.ENVD, OTHER, Optional.of(KEY)))
        .isNotEqualTo(tokens.of(Purpose.TRAFFIC, ONE, Optional.of(KEY)))
        .isNotEqualTo(tokens.of(Purpose.ENVD, ONE, Optional.empty()))
        .isNotEqualTo(new Tokens(another, Set::of).of(Purpose.ENVD, ONE, Optional.of(KEY)));
  }

  @Test
  void aTokenOpensItsSandboxForItsPurposeAlone() {
    String token = tokens.of(Purpose.ENVD, ONE, Optional.of(KEY));
    String keyless = tokens.of(Purpose.ENVD, ONE, Optional.empty());

    assertThat(tokens.bearer(Purpose.ENVD, ONE, token))
        .contains(new Tokens.Bearer(Optional.of(KEY)));
    assertThat(tokens.bearer(Purpose.ENVD, ONE, keyless)).contains(Tokens.Bearer.NOBODY);
    assertThat(tokens.bearer(Purpose.TRAFFIC, ONE, token)).isEmpty();
    assertThat(tokens.bearer(Purpose.ENVD, OTHER, token)).isEmpty();
    assertThat(tokens.bearer(Purpose.ENVD, ONE, token.substring(0, 64))).isEmpty();
    assertThat(tokens.bearer(Purpose.ENVD, ONE, keyless + KEY)).isEmpty();
    assertThat(tokens.bearer(Purpose.ENVD, ONE, "")).isEmpty();
  }

  @Test
  void aTokenEndsWithItsKey() {
    String token = tokens.of(Purpose.ENVD, ONE, Optional.of(KEY));
    keys = Set.of("fedcba9876543210");

    assertThat(tokens.bearer(Purpose.ENVD, ONE, token)).isEmpty();
  }

  @Test
  void theSecretIsMadeOnceAndOnlyItsOwnerReadsIt() throws IOException {
    byte[] made = TokenSecret.in(folder);

    assertThat(made).hasSize(32).isNotEqualTo(new byte[32]);
    assertThat(TokenSecret.in(folder)).isEqualTo(made);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(folder.resolve("e2b.secret"))))
        .isEqualTo("rw-------");
  }

  @Test
  void aSecretOfAnotherLengthIsNotTaken() throws IOException {
    Files.write(folder.resolve("e2b.secret"), new byte[3]);

    assertThatThrownBy(() -> TokenSecret.in(folder)).hasMessageContaining("3 bytes");
  }
}
