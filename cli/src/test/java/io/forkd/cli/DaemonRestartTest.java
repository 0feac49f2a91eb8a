package io.forkd.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.client.ForkdClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class DaemonRestartTest {
  private TestContext test;
  private Context context;
  private Path pids;

  @BeforeEach
  void prepare() throws IOException {
    test = new TestContext();
    context = test.with(Map.of());
    pids = test.folder.resolve("pids");
  }

  @AfterEach
  void end() throws IOException {
    for (long pid : pids()) {
      ProcessHandle.of(pid)
          .ifPresent(
              daemon -> {
                daemon.destroyForcibly();
                daemon.onExit().join();
              });
    }
    test.close();
  }

  private List<Long> pids() throws IOException {
    return Files.exists(pids)
        ? Files.readAllLines(pids).stream().map(Long::parseLong).toList()
        : List.of();
  }

  private DaemonStarter starter() {
    return new DaemonStarter(
        context,
        DaemonStarter.USUAL,
        options ->
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "io.forkd.cli.FakeDaemonProcess",
                test.socket().toString(),
                pids.toString()));
  }

  @Test
  void commandsAtTheSameTimeNoticeNothing() throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    List<Future<Integer>> callers = new ArrayList<>();
    try (Steps steps = new Steps(context.terminal());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      starter().start(List.of(), steps);
      for (int i = 0; i < 4; i++) {
        callers.add(threads.submit(() -> callUntil(over)));
      }
      callers.add(threads.submit(() -> oneClientUntil(over)));
      try {
        starter().restart(List.of(), steps);
        starter().restart(List.of(), steps);
      } finally {
        over.set(true);
      }
    }
    for (Future<Integer> caller : callers) {
      assertThat(caller.get()).isPositive();
    }
    assertThat(pids()).hasSize(3).doesNotHaveDuplicates();
    assertThat(pids().subList(0, 2)).allMatch(pid -> ProcessHandle.of(pid).isEmpty());
  }

  /** As many commands do: each finds the daemon, or waits for the one that is being started. */
  private int callUntil(AtomicBoolean over) {
    int calls = 0;
    do {
      try (ForkdClient client = new DaemonLink(context).require()) {
        calls += client.sandboxes().size();
      }
    } while (!over.get());
    return calls;
  }

  /** As one command that makes many calls does. */
  private int oneClientUntil(AtomicBoolean over) {
    int calls = 0;
    try (ForkdClient client = new DaemonLink(context).require()) {
      do {
        calls += client.sandboxes().size();
      } while (!over.get());
    }
    return calls;
  }

  @Test
  void aRestartStartsADaemonWhereNoneRan() throws IOException {
    try (Steps steps = new Steps(context.terminal())) {
      starter().restart(List.of(), steps);
    }
    assertThat(pids()).hasSize(1);
    try (ForkdClient client = new DaemonLink(context).client()) {
      assertThat(client.status().pid()).isEqualTo(pids().getFirst());
    }
  }

  @Test
  void aDaemonThatDoesNotAnswerInTimeIsGivenUp() {
    DaemonStarter starter =
        new DaemonStarter(
            context, Duration.ofSeconds(1), options -> List.of("sh", "-c", "exec sleep 100"));
    try (Steps steps = new Steps(context.terminal())) {
      assertThatThrownBy(() -> starter.restart(List.of(), steps))
          .isInstanceOf(CliException.class)
          .hasMessageContaining("did not answer in 1 s")
          .hasMessageContaining("forkd doctor");
    }
  }
}
