package io.forkd.linux;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many calls in one stop, and what happens when something goes wrong in the middle of them. */
@Timeout(120)
class RemoteSessionTest {
  private static final int PAGE = Target.PAGE;
  private static final int LAYER = 10;

  @Test
  void hundredsOfExtentsAreMappedInOneStop() throws Exception {
    int count = 300;
    try (Memfd layer = Memfd.create(Target.NAME + "-layer", 2L * count * PAGE);
        Target target = Target.start(2L * count, spawn -> spawn.descriptor(layer.fd(), LAYER))) {
      MemoryArea memory = target.memory();
      for (int round = 0; round < 5; round++) {
        long start = System.nanoTime();
        RemoteCalls.in(
            target.child(),
            calls -> {
              IntStream.range(0, count)
                  .mapToObj(i -> new PageRange(2L * i * PAGE, PAGE))
                  .forEach(page -> calls.mapOver(memory, page, LAYER, page.offset()));
              return null;
            });
        System.out.printf("%d mmaps: %.2f ms%n", count, (System.nanoTime() - start) / 1e6);
      }
      assertThat(Maps.of(target.pid()).orElseThrow().ofFile(Target.NAME)).hasSize(2 * count);
      target.awaitCounting();
    }
  }
}
