package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ForkdException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ModuleOrderTest {
  private final Map<String, Modinfo> modules = new HashMap<>();

  @Test
  void aModuleComesAfterAllItDependsOnAndEachComesOnce() {
    module("virtio_ring", "virtio");
    module("virtio");
    module("virtio_blk", "virtio_ring", "virtio");
    module("virtio_net", "virtio_ring", "net_failover");
    module("net_failover", "failover");
    module("failover");
    ModuleOrder order = order();

    assertThat(order.add("virtio_blk")).isTrue();
    assertThat(order.add("virtio_net")).isTrue();

    assertThat(order.ordered())
        .containsExactly(
            "virtio", "virtio_ring", "virtio_blk", "failover", "net_failover", "virtio_net");
  }

  @Test
  void whatIsBuiltInIsNotLoaded() {
    module("virtio_blk", "virtio");
    ModuleOrder order = order("virtio", "ext4");

    assertThat(order.add("virtio_blk")).isTrue();
    assertThat(order.add("ext4")).isTrue();

    assertThat(order.ordered()).containsExactly("virtio_blk");
  }

  @Test
  void aModuleThatIsNotThereIsReportedAndLeavesNothing() {
    ModuleOrder order = order();

    assertThat(order.add("virtio_rng")).isFalse();
    assertThat(order.ordered()).isEmpty();
  }

  @Test
  void aMissingDependencyIsAnErrorThatNamesBoth() {
    module("ext4", "jbd2");

    assertThatThrownBy(() -> order().add("ext4"))
        .isInstanceOf(ForkdException.class)
        .hasMessageStartingWith("The kernel module ext4 needs jbd2, which is missing.");
  }

  @Test
  void modulesThatDependOnEachOtherAreAnErrorThatNamesThem() {
    module("a", "b");
    module("b", "c");
    module("c", "a");

    assertThatThrownBy(() -> order().add("a"))
        .isInstanceOf(ForkdException.class)
        .hasMessageStartingWith("The kernel modules a → b → c depend on each other.");
  }

  @Test
  void aWishForAnAlgorithmLoadsItsGenericModuleFirst() {
    modules.put("ext4", new Modinfo(List.of(), List.of("crc32c", "nowhere")));
    module("crc32c_generic");
    ModuleOrder order = order();

    order.add("ext4");

    assertThat(order.ordered()).containsExactly("crc32c_generic", "ext4");
  }

  @Test
  void wishesThatGoRoundAreNoError() {
    modules.put("a", new Modinfo(List.of(), List.of("b")));
    modules.put("b", new Modinfo(List.of(), List.of("a")));
    ModuleOrder order = order();

    order.add("a");

    assertThat(order.ordered()).containsExactly("b", "a");
  }

  private ModuleOrder order(String... builtin) {
    return new ModuleOrder(
        name -> Optional.ofNullable(modules.get(name)), Set.of(builtin)::contains);
  }

  private void module(String name, String... depends) {
    modules.put(name, new Modinfo(List.of(depends), List.of()));
  }
}
