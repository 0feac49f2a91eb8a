package io.forkd.linux;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileIoTest {
  @TempDir Path folder;

  @Test
  void readsAndWritesAtOffsetsFromHeapAndDirectBuffers() {
    try (Fd fd = HostFiles.create(folder.resolve("file"), 0600)) {
      FileIo.pwrite(fd, ByteBuffer.wrap("heap".getBytes(UTF_8)), 5);
      ByteBuffer direct = ByteBuffer.allocateDirect(6).put("direct".getBytes(UTF_8)).flip();
      FileIo.pwrite(fd, direct, 100);
      assertThat(direct.hasRemaining()).isFalse();
      assertThat(FileIo.size(fd)).isEqualTo(106);

      ByteBuffer heap = ByteBuffer.allocate(4);
      assertThat(FileIo.pread(fd, heap, 5)).isEqualTo(4);
      assertThat(heap.array()).isEqualTo("heap".getBytes(UTF_8));
      ByteBuffer past = ByteBuffer.allocateDirect(50);
      assertThat(FileIo.pread(fd, past, 100)).isEqualTo(6);
      assertThat(past.position()).isEqualTo(6);
      assertThat(FileIo.read(fd, 0, 9)).isEqualTo("\0\0\0\0\0heap".getBytes(UTF_8));
      assertThat(FileIo.read(fd, 1000, 9)).isEmpty();
      FileIo.sync(fd);
    }
  }

  @Test
  void truncateMakesHoles() throws Exception {
    Path file = folder.resolve("file");
    try (Fd fd = HostFiles.create(file, 0600)) {
      FileIo.truncate(fd, 1L << 33);
      assertThat(Files.size(file)).isEqualTo(1L << 33);
      assertThat(FileStatus.of(fd).allocatedBytes()).isZero();
    }
  }

  @Test
  void aDescriptorOpenForReadingCannotBeWritten() throws Exception {
    Path file = Files.createFile(folder.resolve("file"));
    try (Fd fd = HostFiles.open(file, OpenFlag.READ)) {
      assertThat(HostFilesTest.errno(() -> FileIo.pwrite(fd, ByteBuffer.allocate(1), 0)))
          .isEqualTo(Errno.EBADF);
    }
  }
}
