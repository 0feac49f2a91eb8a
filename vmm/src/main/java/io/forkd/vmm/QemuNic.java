package io.forkd.vmm;

import io.forkd.base.GuestNet;
import java.util.ArrayList;
import java.util.List;

/**
 * The NIC that every guest has, on a wire or not.
 *
 * <p>A guest's device state is restored with a tap or without one, whichever it was saved with. So
 * the device offers nothing that depends on what is at the other end: no offloads, and the tap is
 * one without packet headers of virtio's. It has no control queue either: nothing of that is
 * needed, and it would be one more thing for a guest to try.
 */
final class QemuNic {
  private static final String ID = "net";

  private static final List<String> OFF =
      List.of(
          "csum",
          "gso",
          "guest_csum",
          "guest_tso4",
          "guest_tso6",
          "guest_ecn",
          "guest_ufo",
          "host_tso4",
          "host_tso6",
          "host_ecn",
          "host_ufo",
          "ctrl_vq",
          "ctrl_rx",
          "ctrl_rx_extra",
          "ctrl_vlan",
          "ctrl_mac_addr",
          "ctrl_guest_offloads",
          "guest_announce",
          "mq");

  /** What QEMU says about a NIC without a wire, which is no news. */
  static final String NO_WIRE_WARNING = "has no peer";

  private QemuNic() {}

  static List<String> arguments(QemuMachine machine, boolean wired) {
    List<String> arguments = new ArrayList<>();
    if (wired) {
      arguments.addAll(
          List.of("-netdev", "tap,id=%s,fd=%d,vhost=off".formatted(ID, QemuCommand.TAP_FD)));
    }
    StringBuilder device = new StringBuilder("virtio-net-" + machine.transport());
    device.append(",mac=").append(GuestNet.MAC);
    OFF.forEach(feature -> device.append(',').append(feature).append("=off"));
    if (machine.transport().equals("pci")) {
      device.append(",romfile=");
    }
    if (wired) {
      device.append(",netdev=").append(ID);
    }
    arguments.addAll(List.of("-device", device.toString()));
    // A restored child need not tell anyone where it is now: every wire has one end.
    arguments.addAll(List.of("-global", "migration.announce-rounds=0"));
    return arguments;
  }
}
