package io.forkd.vmm;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.GuestNet;
import io.forkd.linux.Fd;
import io.forkd.linux.Memfd;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class QemuCommandTest {
  private static final QemuVersion BOOKWORM = new QemuVersion(7, 2, 22);
  private static final VmSite SITE =
      new VmSite("forkd-sb-1", Path.of("/run/x"), Path.of("/run/x/vmm"), Optional.empty());
  private static final GuestShape SHAPE = new GuestShape(384, 3);

  private static List<String> boot(QemuMachine machine, QemuVersion version) {
    try (Memfd file = Memfd.create("test", 0)) {
      return new QemuCommand(machine, version, 64)
          .boot(
              new BootSpec(
                  SITE,
                  SHAPE,
                  Path.of("/secret/kernel"),
                  Path.of("/secret/initrd"),
                  "quiet panic=-1",
                  file.fd(),
                  file.fd(),
                  Optional.empty()));
    }
  }

  private static List<String> restore(QemuMachine machine, QemuVersion version) {
    return restore(machine, version, false);
  }

  private static List<String> restore(QemuMachine machine, QemuVersion version, boolean wired) {
    try (Memfd file = Memfd.create("test", 0)) {
      Optional<Fd> tap = Optional.of(file.fd()).filter(fd -> wired);
      return new QemuCommand(machine, version, 64)
          .restore(
              new RestoreSpec(
                  SITE, SHAPE, file.fd(), file.fd(), file.fd(), Overlay.NONE, tap, false));
    }
  }

  private static QemuMachine machine() {
    return QemuMachine.choose("x86_64", false, OptionalLong.of(2_100_000));
  }

  static Stream<QemuMachine> machines() {
    return Stream.of(
        QemuMachine.choose("aarch64", true, OptionalLong.empty()),
        QemuMachine.choose("aarch64", false, OptionalLong.empty()),
        QemuMachine.choose("x86_64", true, OptionalLong.empty()),
        QemuMachine.choose("x86_64", false, OptionalLong.of(2_100_000)),
        QemuMachine.choose("x86_64", false, OptionalLong.empty()));
  }

  /** All values given to one option. */
  private static List<String> values(List<String> arguments, String option) {
    return IntStream.range(0, arguments.size() - 1)
        .filter(i -> arguments.get(i).equals(option))
        .mapToObj(i -> arguments.get(i + 1))
        .toList();
  }

  private static String memory(List<String> arguments) {
    return values(arguments, "-object").stream()
        .filter(value -> value.startsWith("memory-backend-file,"))
        .findFirst()
        .orElseThrow();
  }

  @ParameterizedTest
  @CsvSource({
    "7.2.0,  'share=off'",
    "7.2.22, 'share=off'",
    "8.1.5,  'share=off'",
    "8.2.0,  'share=off,readonly=on,rom=off'",
    "8.2.2,  'share=off,readonly=on,rom=off'",
    "9.0.0,  'share=off,readonly=on,rom=off'",
    "10.0.2, 'share=off,readonly=on,rom=off'"
  })
  void aChildMapsItsParentsMemoryPrivately(String version, String mapping) {
    List<String> arguments = restore(machine(), parse(version));
    assertThat(memory(arguments))
        .isEqualTo("memory-backend-file,id=ram,size=384M,mem-path=/proc/self/fd/5," + mapping);
  }

  @ParameterizedTest
  @CsvSource({"7.2.22", "8.2.0", "10.0.2"})
  void aParentsMemoryIsSharedSoThatItCanBeKept(String version) {
    assertThat(memory(boot(machine(), parse(version))))
        .isEqualTo("memory-backend-file,id=ram,size=384M,mem-path=/proc/self/fd/5,share=on");
  }

  @ParameterizedTest
  @CsvSource({
    "7.2.22, fd:9",
    "8.1.0,  fd:9",
    "8.2.0,  file:/proc/self/fd/9",
    "10.0.2, file:/proc/self/fd/9"
  })
  void theDeviceStatesAddressIsOneThatVersionKnows(String version, String address) {
    assertThat(new QemuCommand(machine(), parse(version), 64).deviceStateAddress())
        .isEqualTo(address);
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aChildHasNoKernelAndWaitsStoppedForItsDeviceState(QemuMachine machine) {
    List<String> arguments = restore(machine, BOOKWORM);
    assertThat(arguments).doesNotContain("-kernel", "-initrd", "-append");
    assertThat(values(arguments, "-incoming")).containsExactly("defer");
    assertThat(arguments).contains("-S");
    assertThat(values(arguments, "-action")).containsExactly("reboot=shutdown,shutdown=pause");
  }

  @ParameterizedTest
  @MethodSource("machines")
  void aParentBootsFromDescriptorsAndStaysWhenItsGuestStops(QemuMachine machine) {
    List<String> arguments = boot(machine, BOOKWORM);
    assertThat(values(arguments, "-kernel")).containsExactly("/proc/self/fd/7");
    assertThat(values(arguments, "-initrd")).containsExactly("/proc/self/fd/8");
    assertThat(values(arguments, "-append"))
        .containsExactly(machine.kernelParameters() + " quiet panic=-1");
    assertThat(values(arguments, "-action")).containsExactly("reboot=shutdown,shutdown=pause");
    assertThat(arguments).doesNotContain("-incoming", "-S");
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyQemuIsShutIn(QemuMachine machine) {
    for (List<String> arguments : List.of(boot(machine, BOOKWORM), restore(machine, BOOKWORM))) {
      assertThat(values(arguments, "-sandbox"))
          .containsExactly(
              "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny");
      assertThat(arguments).contains("-nodefaults", "-no-user-config");
      assertThat(values(arguments, "-name")).containsExactly("forkd-sb-1");
      assertThat(arguments)
          .as("QEMU is told no path of the host")
          .noneMatch(argument -> argument.contains("/secret") || argument.contains("/run/x"));
    }
  }

  @ParameterizedTest
  @MethodSource("machines")
  void theRootDiskIsReadOnly(QemuMachine machine) {
    List<String> arguments = restore(machine, BOOKWORM);
    assertThat(values(arguments, "-blockdev"))
        .containsExactly(
            "driver=file,node-name=root,read-only=on,locking=off,filename=/proc/self/fd/6");
    assertThat(values(arguments, "-device"))
        .contains("virtio-blk-" + machine.transport() + ",drive=root");
  }

  @ParameterizedTest
  @MethodSource("machines")
  void parentAndChildAreTheSameMachine(QemuMachine machine) {
    List<String> parent = boot(machine, BOOKWORM);
    List<String> child = restore(machine, BOOKWORM);
    for (String option :
        List.of("-machine", "-cpu", "-smp", "-m", "-accel", "-device", "-chardev", "-global")) {
      assertThat(values(child, option)).as(option).isNotEmpty().isEqualTo(values(parent, option));
    }
    assertThat(values(child, "-smp")).containsExactly("3");
    assertThat(values(child, "-m")).containsExactly("384M");
    assertThat(values(child, "-machine"))
        .containsExactly(machine.type() + ",memory-backend=ram,suppress-vmdesc=on");
    assertThat(values(child, "-global"))
        .containsExactly("migration.send-configuration=off", "migration.announce-rounds=0");
  }

  @ParameterizedTest
  @MethodSource("machines")
  void everyGuestHasTheSameNicOnAWireOrNot(QemuMachine machine) {
    String unwired = nic(restore(machine, BOOKWORM));
    assertThat(unwired)
        .startsWith("virtio-net-" + machine.transport() + ",mac=" + GuestNet.MAC + ",")
        .contains(",csum=off,", ",gso=off,", ",guest_tso4=off,", ",host_tso4=off,", ",ctrl_vq=off,")
        .doesNotContain("netdev=");
    assertThat(unwired.contains(",romfile=")).isEqualTo(machine.transport().equals("pci"));
    assertThat(values(restore(machine, BOOKWORM), "-netdev")).isEmpty();
    List<String> wired = restore(machine, BOOKWORM, true);
    assertThat(nic(wired)).isEqualTo(unwired + ",netdev=net");
    assertThat(values(wired, "-netdev")).containsExactly("tap,id=net,fd=11,vhost=off");
  }

  private static String nic(List<String> arguments) {
    return values(arguments, "-device").stream()
        .filter(value -> value.startsWith("virtio-net-"))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void everyDescriptorHasANumberOfItsOwnAboveStandardError() {
    List<Integer> numbers =
        new ArrayList<>(
            List.of(
                QemuCommand.QMP_FD,
                QemuCommand.AGENT_FD,
                QemuCommand.MEMORY_FD,
                QemuCommand.ROOTFS_FD,
                QemuCommand.KERNEL_FD,
                QemuCommand.INITRD_FD,
                QemuCommand.DEVICE_STATE_FD,
                QemuCommand.SAVED_STATE_FD,
                QemuCommand.TAP_FD,
                QemuCommand.FIRST_LAYER_FD));
    assertThat(numbers).doesNotHaveDuplicates().allMatch(number -> number > 2);
  }

  private static QemuVersion parse(String version) {
    return QemuVersion.parse("version " + version).orElseThrow();
  }
}
