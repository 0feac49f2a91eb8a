package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.FakeDaemon;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A process that answers like a healthy daemon and writes its id down. */
final class FakeDaemonProcess {
  private FakeDaemonProcess() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Files.writeString(
        Path.of(args[1]),
        ProcessHandle.current().pid() + "\n",
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
    try (FakeDaemon daemon =
        FakeDaemon.startOn(
            Path.of(args[0]),
            (request, out) -> {
              out.write(FakeDaemon.reply(200, "", "{\"ok\":true}").getBytes(UTF_8));
              return true;
            })) {
      Thread.sleep(60_000);
      System.out.println("served " + daemon.requests().size());
    }
  }
}
