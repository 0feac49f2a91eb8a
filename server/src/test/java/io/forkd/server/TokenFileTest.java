package io.forkd.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TokenFileTest {
  private static final String OLD = "hW2-kd93-kd0s-2kd9";
  private static final String NEW = "Zp1-94ks-02ks-91ka-longer";

  @TempDir Path folder;

  @Test
  void aNewTokenCountsAtOnceAndTheOldOneNoMore() throws IOException {
    Path file = Secrets.write(folder.resolve("t"), OLD);
    TokenFile token = TokenFile.open(file);
    assertThat(token.matches(OLD)).isTrue();
    Path next = Secrets.write(folder.resolve("next"), NEW);
    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    assertThat(token.matches(OLD)).isFalse();
    assertThat(token.matches(NEW)).isTrue();
  }

  @Test
  void whileTheFileIsMissingOrUnfitNobodyComesIn() throws IOException {
    Path file = Secrets.write(folder.resolve("t"), OLD);
    TokenFile token = TokenFile.open(file);
    Files.delete(file);
    assertThat(token.matches(OLD)).isFalse();
    assertThat(token.matches("")).isFalse();
    Secrets.write(file, "REPLACE_ME_REPLACE_ME");
    assertThat(token.matches("REPLACE_ME_REPLACE_ME")).isFalse();
    Secrets.write(file, NEW);
    assertThat(token.matches(NEW)).isTrue();
  }

  @Test
  void openingTheFileToOthersShutsTheDoor() throws IOException {
    Path file = Secrets.write(folder.resolve("t"), OLD);
    TokenFile token = TokenFile.open(file);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    assertThat(token.matches(OLD)).isFalse();
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
    assertThat(token.matches(OLD)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rw-r--r--", "rw-----w-", "rw--w----", "rwxrwxrwx"})
  void aFileThatOthersReadOrWriteIsRefused(String permissions) throws IOException {
    Path file = Secrets.write(folder.resolve("t"), OLD);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    assertThatThrownBy(() -> TokenFile.open(file))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("open to other users")
        .hasMessageContaining("chmod 600")
        .hasMessageNotContaining(OLD);
  }
}
