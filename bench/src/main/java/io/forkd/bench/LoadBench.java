package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.client.DaemonStatus;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import io.forkd.client.SandboxInfo;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Many clients ask a few sandboxes at once, while some others ask for much and read nothing. */
final class LoadBench {
  private static final int STALLED = 4;
  private static final int SHOWN_ERRORS = 10;

  private final ForkdClient client;
  private final Narrator narrator;

  LoadBench(ForkdClient client, Narrator narrator) {
    this.client = client;
    this.narrator = narrator;
  }

  LoadReport run(LoadOptions options) {
    Machine machine = Machine.read(Daemons.snapshot(client, options.tag()));
    DaemonStatus daemon = Daemons.localStatus(client);
    Queue<Double> millis = new ConcurrentLinkedQueue<>();
    Queue<String> errors = new ConcurrentLinkedQueue<>();
    int silent;
    try (Undo undo = new Undo(narrator::warn);
        Children forked = Children.fork(client, options.tag(), options.sandboxes(), undo)) {
      List<SandboxInfo> sandboxes = forked.all();
      sandboxes.forEach(each -> Workload.ask(client, each));
      List<SocketChannel> stalled = stall(daemon, sandboxes.getFirst());
      silent = stalled.size();
      try {
        narrator.begin("%d clients ask for %d s".formatted(options.clients(), options.seconds()));
        askAll(options, sandboxes, millis, errors);
      } finally {
        stalled.forEach(LoadBench::close);
      }
    }
    return new LoadReport(
        machine, options, Samples.of(millis), silent, errors.stream().limit(SHOWN_ERRORS).toList());
  }

  private void askAll(
      LoadOptions options,
      List<SandboxInfo> sandboxes,
      Queue<Double> millis,
      Queue<String> errors) {
    long end = System.nanoTime() + Duration.ofSeconds(options.seconds()).toNanos();
    List<Thread> askers = new ArrayList<>();
    for (int i = 0; i < options.clients(); i++) {
      SandboxInfo asked = sandboxes.get(i % sandboxes.size());
      askers.add(Thread.startVirtualThread(() -> ask(asked, end, millis, errors)));
    }
    for (Thread asker : askers) {
      try {
        asker.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private void ask(SandboxInfo asked, long end, Queue<Double> millis, Queue<String> errors) {
    while (System.nanoTime() < end) {
      try {
        millis.add(Workload.ask(client, asked));
      } catch (ForkdException | ForkdClientException e) {
        errors.add(String.valueOf(e.getMessage()));
      }
    }
  }

  /** Requests whose long answers nobody will read. */
  private static List<SocketChannel> stall(DaemonStatus daemon, SandboxInfo sandbox) {
    List<SocketChannel> channels = new ArrayList<>();
    Path socket = Path.of(daemon.run()).resolve("forkd.sock");
    if (!Files.exists(socket)) {
      return channels; // it listens elsewhere, and the report says that nobody stalled
    }
    String body = "{\"code\": \"'x' * 8000000\"}";
    String request =
        "POST /v1/sandboxes/%s/eval HTTP/1.1\r\nHost: forkd\r\nContent-Length: %d\r\n\r\n%s"
            .formatted(sandbox.id(), body.length(), body);
    try {
      for (int i = 0; i < STALLED; i++) {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
        channels.add(channel);
        channel.write(ByteBuffer.wrap(request.getBytes(StandardCharsets.US_ASCII)));
      }
      return channels;
    } catch (IOException e) {
      channels.forEach(LoadBench::close);
      throw new UncheckedIOException(e);
    }
  }

  private static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
