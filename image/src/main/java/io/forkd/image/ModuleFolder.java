package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The modules of one kernel release. Dependencies are read from the modules themselves: a kernel
 * package ships no modules.dep, which is made when it is installed.
 */
final class ModuleFolder {
  /** The list of what would be modules, were it not built in. */
  static final String BUILTIN = "modules.builtin";

  private static final Pattern FILE = Pattern.compile("(.+)\\.ko(|\\.xz|\\.zst|\\.gz)");

  private final Map<String, Path> files = new HashMap<>();
  private final Map<String, byte[]> contents = new HashMap<>();
  private final Set<String> builtin = new HashSet<>();

  ModuleFolder(Path folder) throws IOException {
    try (Stream<Path> tree = Files.walk(folder)) {
      tree.forEach(file -> name(file).ifPresent(name -> files.putIfAbsent(name, file)));
    }
    Path list = folder.resolve(BUILTIN);
    if (Files.isReadable(list)) {
      Files.readAllLines(list).forEach(line -> name(Path.of(line)).ifPresent(builtin::add));
    }
  }

  boolean builtin(String name) {
    return builtin.contains(name);
  }

  /** What a module needs; empty when it is not in the folder. */
  Optional<Modinfo> info(String name) {
    if (!files.containsKey(name)) {
      return Optional.empty();
    }
    try {
      return Optional.of(Modinfo.read(content(name)));
    } catch (IllegalArgumentException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "The kernel module %s is %s.".formatted(files.get(name), e.getMessage()),
          e);
    }
  }

  /** A module, decompressed. */
  byte[] content(String name) {
    return contents.computeIfAbsent(name, this::load);
  }

  private byte[] load(String name) {
    Path file = files.get(name);
    if (file == null) {
      throw new IllegalArgumentException("no module " + name);
    }
    String text = file.toString();
    if (text.endsWith(".xz")) {
      return Command.of(Tool.XZ, "-dc", file).bytes();
    } else if (text.endsWith(".zst")) {
      return Command.of(Tool.ZSTD, "-dcq", file).bytes();
    } else if (text.endsWith(".gz")) {
      return Command.of(Tool.GZIP, "-dc", file).bytes();
    }
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "The kernel module %s cannot be read: %s".formatted(file, e), e);
    }
  }

  static boolean isModule(String fileName) {
    return FILE.matcher(fileName).matches();
  }

  private static Optional<String> name(Path file) {
    Path last = file.getFileName();
    Matcher match = FILE.matcher(last == null ? "" : last.toString());
    return match.matches() ? Optional.of(normalise(match.group(1))) : Optional.empty();
  }

  /** Files are named with dashes or underscores; the kernel knows only underscores. */
  static String normalise(String name) {
    return name.replace('-', '_');
  }
}
