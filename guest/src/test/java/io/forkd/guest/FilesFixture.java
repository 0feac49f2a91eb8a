package io.forkd.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What tests of a guest's files share: an agent on this machine, run by root, and a folder. */
abstract class FilesFixture {
  @RegisterExtension static final RunningAgent guest = new RunningAgent(HostAgent::start);

  @TempDir Path folder;

  static HostAgent host() {
    return guest.host();
  }

  static Agent agent() {
    return guest.agent();
  }

  static FileTree files() {
    return guest.agent().files(Optional.empty());
  }

  static FileTree filesOf(String user) {
    return guest.agent().files(Optional.of(user));
  }

  String at(String name) {
    return folder.resolve(name).toString();
  }

  static FileEntry write(FileTree files, String path, String content) throws IOException {
    return files.write(path, FileWrite.REPLACE, stream(content));
  }

  static InputStream stream(String content) {
    return new ByteArrayInputStream(content.getBytes(StandardCharsets.UTF_8));
  }

  static String read(FileTree files, String path) throws IOException {
    try (FileContent content = files.read(path, 0, OptionalLong.empty())) {
      return new String(content.stream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  static void awaitNoHelpers(HostAgent host) {
    Deadline deadline = Deadline.in(HostAgent.PATIENCE);
    while (host.hasChildren()) {
      assertThat(deadline.passed()).isFalse();
      HostAgent.sleep();
    }
  }

  static void assertRefused(GuestFailure why, ThrowingCallable call) {
    assertThat(catchThrowable(call))
        .isInstanceOfSatisfying(
            GuestRefusal.class, refusal -> assertThat(refusal.why()).isEqualTo(why));
  }
}
