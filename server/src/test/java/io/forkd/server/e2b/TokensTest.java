package io.forkd.server.e2b;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TokensTest {
  private static final SandboxId ONE = SandboxId.of("sb-0123456789-0000");
  private static final SandboxId OTHER = SandboxId.of("sb-0123456789-0001");

  @TempDir Path folder;

  @Test
  void tokensDifferBySandboxAndPurposeAndSecret() {
    Tokens tokens = new Tokens(new byte[32]);
    byte[] another = new byte[32];
    another[0] = 1;

    assertThat(tokens.envd(ONE)).hasSize(64).isEqualTo(new Tokens(new byte[32]).envd(ONE));
    assertThat(tokens.envd(ONE))
        .isNotEqualTo(tokens.envd(OTHER))
        .isNotEqualTo(tokens.traffic(ONE))
        .isNotEqualTo(new Tokens(another).envd(ONE));
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
