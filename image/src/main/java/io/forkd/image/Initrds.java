package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Makes initrds: the agent, the modules a guest needs in load order, and the runtime kernels. */
final class Initrds {
  private static final String FORM = "3";
  private static final List<String> TRANSPORTS = List.of("virtio_mmio", "virtio_pci");
  private static final List<String> DEVICES =
      List.of("virtio_blk", "virtio_console", "virtio_net", "overlay");
  private static final List<String> EXTRAS = List.of("virtio_rng");

  private final Cache cache;

  Initrds(Cache cache) {
    this.cache = cache;
  }

  /** An initrd in the cache, with what was found missing in the kernel. */
  record Initrd(Path file, List<String> remarks) {}

  Initrd obtain(Kernel kernel, String rootfsType, GuestParts parts, Progress progress) {
    Path entry =
        cache.obtain(
            "initrds",
            key(kernel, rootfsType, parts),
            folder -> {
              progress.begin("initrd", "Building the initrd for kernel " + kernel.release());
              List<String> remarks = new ArrayList<>();
              Files.write(folder.resolve("initrd.cpio"), make(kernel, rootfsType, parts, remarks));
              Files.write(folder.resolve("remarks"), remarks);
            });
    try {
      return new Initrd(entry.resolve("initrd.cpio"), Files.readAllLines(entry.resolve("remarks")));
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "The cached initrd %s is damaged: %s. Next: delete that folder and try again."
              .formatted(entry, e),
          e);
    }
  }

  private static String key(Kernel kernel, String rootfsType, GuestParts parts) {
    Hashes key = new Hashes().add(FORM).add(kernel.identity()).add(rootfsType).add(parts.agent());
    new TreeMap<>(parts.runtimes()).forEach((name, code) -> key.add(name).add(code));
    return key.hex();
  }

  static byte[] make(Kernel kernel, String rootfsType, GuestParts parts, List<String> remarks)
      throws IOException {
    Cpio cpio = new Cpio();
    for (String folder : List.of("dev", "proc", "sys", "run", "tmp", "newroot", "forkd/modules")) {
      cpio.folder(folder);
    }
    cpio.device("dev/console", 0600, 5, 1).device("dev/null", 0666, 1, 3);
    cpio.file("init", 0755, parts.agent());
    StringBuilder list = new StringBuilder();
    modules(kernel, rootfsType, remarks)
        .forEach(
            (name, content) -> {
              cpio.file("forkd/modules/" + name + ".ko", 0644, content);
              list.append(name).append(".ko\n");
            });
    cpio.file("forkd/modules.list", 0644, list.toString().getBytes(StandardCharsets.US_ASCII));
    cpio.folder("forkd/runtimes");
    new TreeMap<>(parts.runtimes())
        .forEach((name, code) -> cpio.file("forkd/runtimes/" + name, 0644, code));
    return cpio.finish();
  }

  /** The modules to load, in order. */
  private static Map<String, byte[]> modules(Kernel kernel, String rootfsType, List<String> remarks)
      throws IOException {
    Map<String, byte[]> modules = new LinkedHashMap<>();
    if (kernel.modules().isEmpty()) {
      return modules;
    }
    ModuleFolder folder = new ModuleFolder(kernel.modules().get());
    ModuleOrder order = new ModuleOrder(folder::info, folder::builtin);
    boolean transport = TRANSPORTS.stream().map(order::add).reduce(false, Boolean::logicalOr);
    List<String> missing = new ArrayList<>(transport ? List.of() : TRANSPORTS);
    DEVICES.stream().filter(name -> !order.add(name)).forEach(missing::add);
    if (!order.add(rootfsType)) {
      missing.add(rootfsType);
    }
    if (!missing.isEmpty()) {
      remarks.add(
          "Kernel %s has no module %s; it is taken to be built in."
              .formatted(kernel.release(), String.join(", ", missing)));
    }
    EXTRAS.forEach(order::add);
    order.ordered().forEach(name -> modules.put(name, folder.content(name)));
    return modules;
  }
}
