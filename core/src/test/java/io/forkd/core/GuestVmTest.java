package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.guest.GuestSocket;
import io.forkd.image.GuestImage;
import io.forkd.vmm.Vmm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an agent does in a guest that it cannot do as an ordinary process. */
@Tag("vm")
@Timeout(600)
class GuestVmTest {
  private static final int PORT = 8000;
  private static final int MEGABYTES = 4 << 20;

  private final Vmm vmm = Host.detect().openVmm();
  private final GuestImage image = BareVm.image();

  @Test
  void aGuestUsesAsManyCpusAsItIsTold() {
    try (BareVm parent = BareVm.boot(vmm, image, Optional.empty())) {
      assertThat(parent.sh("nproc")).isEqualTo("3");
      setCpus(parent, 2);
      try (BareVm.Saved saved = parent.save();
          BareVm child = BareVm.restore(vmm, image, saved, Optional.empty())) {
        assertThat(child.sh("nproc")).isEqualTo("2");
        setCpus(child, 3);
        setCpus(child, 1);
        setCpus(child, 3);
        assertThat(child.eval("sum(range(1000))")).isEqualTo("499500");
      }
    }
  }

  @Test
  void aPortOfAGuestIsReachedWithoutANetworkAlsoInItsChildren() throws Exception {
    try (BareVm parent = BareVm.boot(vmm, image, Optional.empty())) {
      parent.eval(
          """
          import socket, threading
          heard = []
          def echo(client):
              try:
                  while data := client.recv(65536):
                      client.sendall(data)
                  heard.append('end')
              except OSError as e:
                  heard.append(type(e).__name__)
              client.close()
          def serve(listener):
              while True:
                  threading.Thread(target=echo, args=(listener.accept()[0],)).start()
          listener = socket.create_server(('127.0.0.1', %d))
          threading.Thread(target=serve, args=(listener,), daemon=True).start()
          """
              .formatted(PORT));
      assertEchoes(parent);
      assertThat(parent.eval("heard")).isEqualTo("['end']");
      GuestSocket stillOpen = parent.agent().connect(PORT, BareVm.WAIT);
      stillOpen.output().write(1);
      assertThat(stillOpen.input().read()).isEqualTo(1);
      try (BareVm.Saved saved = parent.save();
          BareVm child = BareVm.restore(vmm, image, saved, Optional.empty())) {
        assertEchoes(child);
        assertThat(child.eval("sorted(heard)"))
            .as("the parent's connection is broken off in the child")
            .isEqualTo("['ConnectionResetError', 'end', 'end']");
      }
    }
  }

  private static void setCpus(BareVm vm, int count) {
    long start = System.nanoTime();
    vm.agent().setOnlineCpus(count, BareVm.WAIT);
    System.out.printf("[vm] %d CPUs after %d ms%n", count, (System.nanoTime() - start) / 1_000_000);
    assertThat(vm.sh("nproc")).isEqualTo(String.valueOf(count));
    assertThat(vm.eval("__import__('os').sched_getaffinity(0) and __import__('os').cpu_count()"))
        .isEqualTo(String.valueOf(count));
  }

  private static void assertEchoes(BareVm vm) throws Exception {
    byte[] sent = new byte[MEGABYTES];
    new Random(1).nextBytes(sent);
    long start = System.nanoTime();
    try (GuestSocket socket = vm.agent().connect(PORT, BareVm.WAIT)) {
      Thread writer = Thread.ofVirtual().start(() -> write(socket, sent));
      assertThat(socket.input().readAllBytes()).isEqualTo(sent);
      writer.join();
    }
    double seconds = (System.nanoTime() - start) / 1e9;
    System.out.printf("[vm] %.1f MB/s each way%n", MEGABYTES / 1e6 / seconds);
  }

  private static void write(GuestSocket socket, byte[] bytes) {
    try {
      socket.output().write(bytes);
      socket.output().close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
