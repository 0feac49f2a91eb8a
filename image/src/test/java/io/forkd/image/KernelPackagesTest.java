package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kernels of the distribution that are in the cache already. */
final class KernelPackagesTest {
  @TempDir Path folder;
  private Cache cache;

  @BeforeEach
  void fillCache() throws IOException {
    cache = new Cache(folder);
    cachedKernel("linux-image-1_1_amd64", "1.0-cloud", 1000);
    cachedKernel("linux-image-2_1_amd64", "2.0-cloud", 3000);
    cachedKernel("linux-image-2_0_amd64", "2.0-cloud", 2000);
    cachedKernel("linux-image-2_1_arm64", "2.0-cloud", 4000);
    cachedKernel("sha256-1234", "2.0-cloud", 5000);
  }

  @Test
  void aKernelThatCannotBeFetchedIsReplacedByTheNewestCachedOneAndThatIsSaid() {
    // A package no archive has: apt refuses it, with and without network.
    AptPackage gone = new AptPackage("linux-image-forkd-test-gone", "7:3.0", "");

    Kernel kernel = kernels(Optional.of(gone)).obtain(Progress.NONE);

    assertThat(kernel.identity()).isEqualTo("linux-image-2_1_amd64");
    assertThat(kernel.remarks())
        .singleElement(InstanceOfAssertFactories.STRING)
        .startsWith("The kernel linux-image-forkd-test-gone 7:3.0 could not be fetched (E: ")
        .contains("), so 2.0-cloud from the cache is used. Next: run apt-get update, or ")
        .hasLineCount(1);
  }

  @Test
  void theCachedKernelThatAptNamesNeedsNoRemark() {
    AptPackage known = new AptPackage("linux-image-1", "1", "");

    Kernel kernel = kernels(Optional.of(known)).obtain(Progress.NONE);

    assertThat(kernel.release()).isEqualTo("1.0-cloud");
    assertThat(kernel.remarks()).isEmpty();
  }

  @Test
  void modulesOfAReleaseAreThoseOfThisArchitecturesDistributionKernelsNewestFirst() {
    assertThat(kernels(Optional.empty()).modulesOf("2.0-cloud"))
        .containsExactly(
            cache.path("kernels", "linux-image-2_1_amd64").resolve("modules"),
            cache.path("kernels", "linux-image-2_0_amd64").resolve("modules"));
    assertThat(kernels(Optional.empty()).modulesOf("3.0-cloud")).isEmpty();
  }

  private KernelPackages kernels(Optional<AptPackage> known) {
    return new KernelPackages(
        cache,
        Arch.X86_64,
        () -> known.map(image -> new KernelPackages.Selection(image, Optional.empty())));
  }

  private void cachedKernel(String key, String release, long modified) throws IOException {
    Path entry =
        cache.obtain(
            "kernels",
            key,
            made -> {
              Files.createDirectory(made.resolve("modules"));
              Files.writeString(made.resolve("release"), release + "\n");
            });
    Files.setLastModifiedTime(entry, FileTime.fromMillis(modified));
  }
}
