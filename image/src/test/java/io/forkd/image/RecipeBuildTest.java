package io.forkd.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Progress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Builds a real guest from the distribution's archive: needs root, network and a minute. */
@Tag("vm")
final class RecipeBuildTest {
  @Test
  void aRecipeIsBuiltOnceAndThenFoundInTheCache() throws Exception {
    String kept = System.getenv("FORKD_TEST_IMAGE_CACHE");
    Path cache = kept == null ? Files.createTempDirectory("forkd-images-") : Path.of(kept);
    try {
      buildTwice(cache);
    } finally {
      if (kept == null) {
        Trees.delete(cache);
      }
    }
  }

  private static void buildTwice(Path cache) throws Exception {
    Recipe recipe = Recipes.load(Path.of("..", "recipes"), "python-numpy");
    GuestParts parts =
        new GuestParts(new byte[] {1, 2, 3}, Map.of("python.py", "print()".getBytes(US_ASCII)));
    Images images = new Images(cache, System.getProperty("os.arch"));
    List<String> steps = new ArrayList<>();

    GuestImage built = images.build(recipe, parts, timed(steps));
    List<String> again = new ArrayList<>();
    GuestImage found =
        new Images(cache, System.getProperty("os.arch")).build(recipe, parts, timed(again));

    System.out.println("built %s, steps at ms: %s".formatted(built, steps));
    assertThat(found).isEqualTo(built);
    assertThat(again).isEmpty();
    assertThat(Filesystem.of(built.rootfs())).contains(Filesystem.EXT4);
    assertThat(Hashes.ofFile(built.rootfs())).isEqualTo(built.rootfsSha256());
    assertThat(built.remarks()).isEmpty();
    Path root = images.rootDirectory(recipe, Progress.NONE);
    assertThat(root.resolve("usr/bin/python3")).exists();
    assertThat(root.resolve("etc/passwd")).content().contains("\nuser:x:1000:1000:");
    assertThat(Files.getAttribute(root.resolve("home/user"), "unix:uid")).isEqualTo(1000);
    assertThat(root.resolve("etc/apt/apt.conf.d/99mmdebstrap")).doesNotExist();
    assertThat(Files.readString(Path.of("/proc/self/mountinfo"))).doesNotContain(cache.toString());
    assertThat(cache.resolve("work")).isEmptyDirectory();
  }

  private static Progress timed(List<String> steps) {
    long start = System.nanoTime();
    return (step, detail) -> steps.add(step + "@" + (System.nanoTime() - start) / 1_000_000);
  }
}
