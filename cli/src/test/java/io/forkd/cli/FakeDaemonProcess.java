package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.FakeDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A process that answers like a daemon with one sandbox, writes its id down, and ends when asked.
 */
final class FakeDaemonProcess {
  private FakeDaemonProcess() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Files.writeString(
        Path.of(args[1]),
        ProcessHandle.current().pid() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    CountDownLatch asked = new CountDownLatch(1);
    try (FakeDaemon daemon =
        FakeDaemon.startOn(
            Path.of(args[0]),
            (request, out) -> {
              out.write(FakeDaemon.reply(200, "", answer(request.path())).getBytes(UTF_8));
              if (request.path().equals("/v1/shutdown")) {
                asked.countDown();
              }
              return true;
            })) {
      boolean stopped = asked.await(60, TimeUnit.SECONDS);
      System.out.println("served " + daemon.requests().size() + ", asked to stop: " + stopped);
    }
  }

  private static String answer(String path) {
    return switch (path) {
      case "/v1/status" -> "{\"pid\":%d}".formatted(ProcessHandle.current().pid());
      case "/v1/sandboxes" -> "[{\"id\":\"sb-0123456789-0000\"}]";
      default -> "{\"ok\":true}";
    };
  }
}
