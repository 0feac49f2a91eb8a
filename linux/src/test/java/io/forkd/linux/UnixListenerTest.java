package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UnixListenerTest {
  @TempDir Path folder;

  @Test
  void acceptsConnectionsAtItsPathForItsOwnerOnly() throws Exception {
    Path path = folder.resolve("s.sock");
    try (Fd listener = UnixListener.bind(path, 8);
        SocketChannel client = SocketChannel.open(UnixDomainSocketAddress.of(path))) {
      assertThat(client.isConnected()).isTrue();
      assertThat(FileStatus.of(listener).type()).isEqualTo(FileStatus.Type.SOCKET);
      assertThat((int) Files.getAttribute(path, "unix:mode") & 0777).isEqualTo(0600);
    }
  }

  @Test
  void replacesASocketFileNobodyListensAt() {
    Path path = folder.resolve("s.sock");
    UnixListener.bind(path, 1).close();
    assertThat(path).exists();
    UnixListener.bind(path, 1).close();
  }

  @Test
  void refusesASocketInUseAndAFileThatIsNoSocket() throws Exception {
    Path path = folder.resolve("s.sock");
    try (Fd listener = UnixListener.bind(path, 4)) {
      assertThat(HostFilesTest.errno(() -> UnixListener.bind(path, 1).close()))
          .isEqualTo(Errno.EADDRINUSE);
      assertThat(listener.isOpen()).isTrue();
    }
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(HostFilesTest.errno(() -> UnixListener.bind(file, 1).close()))
        .isEqualTo(Errno.EEXIST);
    assertThat(file).exists();
  }

  @Test
  void takesThe107BytesTheKernelTakesAndNotOneMore() {
    String room = folder + "/";
    Path longest = Path.of(room + "x".repeat(107 - room.length()));
    UnixListener.bind(longest, 1).close();
    assertThat(longest).exists();
    assertThatThrownBy(() -> UnixListener.bind(Path.of(longest + "y"), 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("108 bytes");
  }
}
