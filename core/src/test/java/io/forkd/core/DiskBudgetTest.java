package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.FileSystemInfo;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class DiskBudgetTest {
  private static final long MIB = 1 << 20;

  private final DiskBudget budget =
      new DiskBudget(
          Path.of("/data"),
          () -> new FileSystemInfo("ext4", 2048 * MIB, 1100 * MIB, 1000 * MIB, 1));

  @Test
  void whatFitsBesideTheReserveIsLetThrough() {
    budget.require(744 * MIB, "the snapshot x");
    assertThatThrownBy(() -> budget.require(745 * MIB, "the snapshot x"))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL))
        .hasMessage(
            "no room for the snapshot x: it may take 745 MiB, and /data has 1000 MiB free, of"
                + " which 256 MiB stay free. Remove snapshots with `forkd rmi`, or set FORKD_DATA"
                + " to a larger disk.");
  }

  @Test
  void whatIsClaimedIsNotGivenTwice() {
    DiskBudget.Claim claim = budget.claim(500 * MIB, "a branch");
    assertThatThrownBy(() -> budget.claim(500 * MIB, "another"))
        .hasMessageContaining("/data has 500 MiB free");
    assertThat(budget.budget()).isEqualTo(new Capacity.Budget("disk_mib", 1548, 1792));
    claim.close();
    claim.close();
    assertThat(budget.budget()).isEqualTo(new Capacity.Budget("disk_mib", 1048, 1792));
    budget.claim(744 * MIB, "another").close();
  }

  @Test
  void aClaimLastsUntilTheWritingIsOverWellOrNot() {
    CompletableFuture<String> written = new CompletableFuture<>();
    CompletableFuture<String> failed = new CompletableFuture<>();
    budget.claim(300 * MIB, "a branch").until(written);
    budget.claim(300 * MIB, "a branch").until(failed);
    assertThat(budget.budget().used()).isEqualTo(1648);
    written.complete("done");
    assertThat(budget.budget().used()).isEqualTo(1348);
    failed.completeExceptionally(new IllegalStateException());
    assertThat(budget.budget().used()).isEqualTo(1048);
  }

  @Test
  void aRealFolderHasWhatItsFileSystemHas() {
    DiskBudget real = new DiskBudget(Path.of("/dev/shm"));
    assertThat(real.budget().most()).isPositive();
    assertThatThrownBy(() -> real.require(1L << 60, "everything"))
        .hasMessageContaining("/dev/shm has");
  }
}
