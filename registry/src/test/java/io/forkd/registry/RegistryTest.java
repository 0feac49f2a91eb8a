package io.forkd.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The registry as a whole, and the tables that only keep what they are given. */
@Timeout(60)
class RegistryTest {
  @TempDir Path data;
  private Registry registry;

  @BeforeEach
  void open() {
    registry = Registry.open(data);
  }

  @AfterEach
  void close() {
    registry.close();
  }

  @Test
  void whatWasWrittenIsThereAfterReopening() {
    registry.sandboxes().put("sb-1", "RUNNING", "{\"a\":1}");
    registry.workspaces().put("desk", "{}");
    registry.meta().noteBoot("boot-1");
    registry.close();
    registry = Registry.open(data);
    assertThat(registry.sandboxes().get("sb-1"))
        .hasValueSatisfying(
            row -> {
              assertThat(row.state()).isEqualTo("RUNNING");
              assertThat(row.json()).isEqualTo("{\"a\":1}");
            });
    assertThat(registry.workspaces().all())
        .extracting(Workspaces.Row::name)
        .containsExactly("desk");
    assertThat(registry.meta().lastBoot()).hasValue("boot-1");
    assertThat(registry.check()).isEmpty();
  }

  @Test
  void aSandboxHasOneRowHoweverOftenItIsWritten() {
    registry.sandboxes().put("sb-1", "PARKED", "{}");
    registry.sandboxes().put("sb-1", "RUNNING", "{\"b\":2}");
    registry.sandboxes().put("sb-0", "PAUSED", "{}");
    assertThat(registry.sandboxes().all())
        .extracting(Sandboxes.Row::id, Sandboxes.Row::state)
        .containsExactly(tuple("sb-0", "PAUSED"), tuple("sb-1", "RUNNING"));
    assertThat(registry.sandboxes().remove("sb-1")).isTrue();
    assertThat(registry.sandboxes().remove("sb-1")).isFalse();
    assertThat(registry.sandboxes().get("sb-1")).isEmpty();
  }

  @Test
  void aTransactionThatFailsLeavesNothing() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                registry.ordinarily(
                    () -> {
                      registry.sandboxes().put("sb-1", "RUNNING", "{}");
                      throw new IllegalStateException("no");
                    }));
    assertThat(registry.sandboxes().all()).isEmpty();
    registry.sandboxes().put("sb-2", "RUNNING", "{}");
    assertThat(registry.sandboxes().all()).hasSize(1);
  }

  @Test
  void aDurableTransactionTakesChangesOfEitherSort() {
    registry.durably(
        () -> {
          registry.sandboxes().put("sb-1", "PAUSED", "{}");
          registry.workspaces().put("desk", "{}");
          return true;
        });
    assertThat(registry.sandboxes().all()).hasSize(1);
    assertThat(registry.workspaces().all()).hasSize(1);
  }

  @Test
  void aDurableChangeIsRefusedInATransactionThatIsNot() {
    assertThatIllegalStateException()
        .isThrownBy(
            () ->
                registry.ordinarily(
                    () -> {
                      registry.workspaces().put("desk", "{}");
                      return true;
                    }))
        .withMessageContaining("durable");
    assertThat(registry.workspaces().all()).isEmpty();
  }

  @Test
  void manyThreadsMayWriteAtOnce() {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      IntStream.range(0, 200)
          .forEach(
              i -> threads.execute(() -> registry.sandboxes().put("sb-" + i, "RUNNING", "{}")));
    }
    assertThat(registry.sandboxes().all()).hasSize(200);
  }

  @Test
  void nobodyButItsUserMayReadTheFiles() throws Exception {
    registry.sandboxes().put("sb-1", "RUNNING", "{}");
    try (var files = Files.list(data)) {
      assertThat(files.filter(file -> file.getFileName().toString().startsWith("registry.db")))
          .hasSizeGreaterThanOrEqualTo(2)
          .allSatisfy(
              file ->
                  assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                      .isEqualTo("rw-------"));
    }
  }

  @Test
  void aDataFolderThatIsNotThereIsMade() {
    try (Registry first = Registry.open(data.resolve("not/yet"))) {
      assertThat(first.sandboxes().all()).isEmpty();
    }
  }

  @Test
  void theNativeLibraryLeavesNoFiles() {
    assertThat(data.resolve(".native")).doesNotExist();
  }

  @Test
  void aSecondUserOfTheFileIsRefusedAtOnce() {
    assertThatThrownBy(() -> Registry.open(data))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.CONFLICT))
        .hasMessageContaining("another process has it open");
    registry.sandboxes().put("sb-1", "RUNNING", "{}");
    assertThat(registry.sandboxes().all()).hasSize(1);
  }

  @Test
  void aClosedRegistryRefusesClearly() {
    registry.close();
    assertThatThrownBy(() -> registry.sandboxes().all())
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("is closed");
    assertThatThrownBy(() -> registry.sandboxes().put("sb-1", "RUNNING", "{}"))
        .isInstanceOf(ForkdException.class)
        .hasMessageContaining("is closed");
  }

  @Test
  void theCheckFindsASandboxThatIsAliveAndHasEnded() {
    registry.sandboxes().put("sb-1", "RUNNING", "{}");
    registry.ends().add("sb-1", "{}", Instant.now());
    assertThat(registry.check()).containsExactly("sandbox sb-1 is alive and has ended");
  }

  @Test
  void theCheckFindsRecordsThatAreNotJson() {
    registry.sandboxes().put("sb-1", "RUNNING", "{oops");
    registry.ends().add("sb-2", "", Instant.now());
    registry.workspaces().put("desk", "nonsense");
    assertThat(registry.check())
        .containsExactlyInAnyOrder(
            "sandboxes: the record of sb-1 is not JSON",
            "ends: the record of sb-2 is not JSON",
            "workspaces: the record of desk is not JSON");
  }

  @Test
  void endsAreToldNewestFirst() {
    for (int i = 0; i < 5; i++) {
      registry.ends().add("sb-" + i, "{\"n\":" + i + "}", Instant.ofEpochSecond(100 - i));
    }
    assertThat(registry.ends().recent(3))
        .extracting(Ends.Row::id)
        .containsExactly("sb-4", "sb-3", "sb-2");
    assertThat(registry.ends().get("sb-1"))
        .hasValue(new Ends.Row("sb-1", "{\"n\":1}", Instant.ofEpochSecond(99)));
    assertThat(registry.ends().get("sb-9")).isEmpty();
  }
}
