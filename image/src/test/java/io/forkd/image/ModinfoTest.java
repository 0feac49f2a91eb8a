package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ModinfoTest {
  @Test
  void dependenciesAndWishesAreReadWithUnderscores() {
    byte[] module =
        TestModule.make(
            "license=GPL", "depends=net-failover,virtio", "softdep=pre: crc32c-x y post: z");

    assertThat(Modinfo.read(module))
        .isEqualTo(new Modinfo(List.of("net_failover", "virtio"), List.of("crc32c_x", "y")));
  }

  @Test
  void aDamagedModuleIsRefusedWhereverItIsCut() {
    byte[] module = TestModule.make("depends=virtio");
    for (int length = 0; length < module.length; length++) {
      byte[] cut = Arrays.copyOf(module, length);
      assertThatThrownBy(() -> Modinfo.read(cut)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
