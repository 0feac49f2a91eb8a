package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs as root, in network namespaces that it makes. */
@Timeout(120)
class NamespacesTest {
  private static final Duration LONG = Duration.ofSeconds(30);
  private static final List<String> KINDS = List.of("net", "mnt", "ipc", "uts", "pid");

  @TempDir Path folder;
  private Netns netns;

  @BeforeEach
  void make() {
    netns = Netns.create("fkt-ns-" + ProcessHandle.current().pid());
  }

  @AfterEach
  void remove() {
    netns.delete();
  }

  @Test
  void aFreshNetworkHasNothingButLoopback() throws IOException {
    assertThat(netns.alive()).isTrue();
    assertThat(Netns.names()).contains(netns.path().getFileName().toString());
    assertThat(netns.call(() -> Files.readAllLines(Path.of("/proc/thread-self/net/dev"))))
        .hasSize(3)
        .last()
        .asString()
        .contains("lo:");
  }

  @Test
  void aDeletedNetworkIsNotAliveAndNeitherIsAFileThatRebootsLeave() throws IOException {
    netns.delete();
    assertThat(netns.alive()).isFalse();
    netns.delete();
    Files.createFile(netns.path());
    assertThat(netns.alive()).isFalse();
    netns.delete();
    assertThat(netns.path()).doesNotExist();
  }

  @Test
  void aSocketOpenedInsideStaysThereWhoeverUsesIt() throws IOException {
    try (ServerSocketChannel inside =
            netns.call(
                () ->
                    ServerSocketChannel.open(StandardProtocolFamily.INET)
                        .bind(new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 5353)));
        ServerSocketChannel here =
            ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0))) {
      assertThat(inside.isOpen()).isTrue();
      String port = "%04X".formatted(5353);
      assertThat(netns.call(() -> Files.readString(Path.of("/proc/thread-self/net/tcp"))))
          .contains("00000000:" + port);
      assertThat(here.isOpen()).isTrue();
    }
  }

  @Test
  void failuresInsideReachTheCaller() {
    assertThat(
            HostFilesTest.errno(
                () -> Spawn.of(Path.of("/no/such"), List.of()).in(Namespaces.of(netns)).start()))
        .isEqualTo(Errno.ENOENT);
    netns.delete();
    assertThat(
            HostFilesTest.errno(
                () -> Spawn.of(Path.of("/bin/true"), List.of()).in(Namespaces.of(netns)).start()))
        .isEqualTo(Errno.ENOENT);
  }

  @Test
  void aProcessIsStartedInTheNamespacesItWasGivenAndNoOthers() throws Exception {
    Namespaces where = Namespaces.FRESH.inNetwork(netns);
    Child child = Spawn.of(Path.of("/bin/sleep"), List.of("60")).in(where).start();
    try {
      List<String> theirs = namespacesOf("/proc/" + child.pid());
      List<String> ours = namespacesOf("/proc/self");
      assertThat(theirs.subList(0, 4)).doesNotContainAnyElementsOf(ours);
      assertThat(theirs.getLast()).isEqualTo(ours.getLast());
      String inside = netns.call(() -> link("/proc/thread-self/ns/net"));
      assertThat(theirs.getFirst()).isEqualTo(inside);
      assertThat(Files.readString(Path.of("/proc/%d/mounts".formatted(child.pid()))))
          .doesNotContain(netns.path().toString());
    } finally {
      child.kill(Signal.KILL);
      assertThat(child.waitFor(LONG)).contains(new ExitStatus.Killed(9));
    }
  }

  @Test
  void aProcessInItsOwnMountNamespaceStillShowsWhereItWorks() throws Exception {
    Child child =
        Spawn.of(Path.of("/bin/sleep"), List.of("60"))
            .in(Namespaces.FRESH.inNetwork(netns))
            .workingDirectory(folder)
            .start();
    try {
      assertThat(Path.of(link("/proc/" + child.pid() + "/cwd"))).isEqualTo(folder.toRealPath());
    } finally {
      child.kill(Signal.KILL);
      child.waitFor(LONG);
    }
  }

  /** A thread born while another is elsewhere would open its sockets there for good. */
  @Test
  void noThreadOfThisProcessStaysElsewhere() throws Exception {
    List<Future<?>> work = new ArrayList<>();
    try (var executor = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < 200; i++) {
        work.add(
            executor.submit(
                () ->
                    Spawn.of(Path.of("/bin/true"), List.of())
                        .in(Namespaces.FRESH.inNetwork(netns))
                        .start()
                        .exit()
                        .get()));
        work.add(executor.submit(() -> netns.call(() -> link("/proc/thread-self/ns/net"))));
      }
    }
    for (Future<?> each : work) {
      assertThat(each.get()).isNotNull();
    }
    assertThat(threadsIn("net")).containsExactly(link("/proc/self/ns/net"));
    assertThat(threadsIn("mnt")).containsExactly(link("/proc/self/ns/mnt"));
  }

  @Test
  void aTapStaysAndTakesTwoReadersAtOnce() throws IOException {
    Tap.create(netns, "tap0");
    try (Fd one = Tap.open(netns, "tap0");
        Fd two = Tap.open(netns, "tap0")) {
      assertThat(one.number()).isNotEqualTo(two.number());
    }
    assertThat(netns.call(() -> Files.readString(Path.of("/proc/thread-self/net/dev"))))
        .contains("tap0:");
    assertThat(Files.readString(Path.of("/proc/net/dev"))).doesNotContain("tap0:");
  }

  @Test
  void aCommandIsFedAndAnswersInsideOrHere() {
    Path cat = Spawn.find("cat").orElseThrow();
    assertThat(HostCommand.run(cat, List.of(), "abc\n", Optional.empty()).text())
        .isEqualTo("abc\n");
    HostCommand.Output output =
        HostCommand.run(cat, List.of("/proc/net/dev", "-", "/none"), "abc\n", Optional.of(netns));
    assertThat(output.text()).contains("lo:").contains("abc\n").contains("/none: No such file");
    assertThat(output.text()).doesNotContain("eth");
    assertThat(output.success()).isFalse();
  }

  private static Set<String> threadsIn(String kind) throws IOException {
    try (Stream<Path> threads = Files.list(Path.of("/proc/self/task"))) {
      return threads
          .flatMap(
              thread -> {
                try {
                  return Stream.of(link(thread + "/ns/" + kind));
                } catch (IOException e) {
                  return Stream.empty(); // it has just ended
                }
              })
          .collect(Collectors.toSet());
    }
  }

  private static List<String> namespacesOf(String process) throws IOException {
    List<String> namespaces = new ArrayList<>();
    for (String kind : KINDS) {
      namespaces.add(link(process + "/ns/" + kind));
    }
    return namespaces;
  }

  private static String link(String path) throws IOException {
    return Files.readSymbolicLink(Path.of(path)).toString();
  }
}
