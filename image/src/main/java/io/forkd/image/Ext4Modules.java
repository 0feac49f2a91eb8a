package io.forkd.image;

import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Modules in an ext4 image, read without mounting it.
 *
 * <p>The image may come from a stranger, so its folders are listed and each file is written to a
 * path made here of checked names. debugfs's own rdump writes through symbolic links when an image
 * has two entries of one name, and so to any file of the host.
 */
record Ext4Modules(Path image, Path modules) implements ModulePlace {
  private static final Pattern LISTED =
      Pattern.compile("/(\\d{1,10})/(\\d+)/\\d+/\\d+/([A-Za-z0-9._+-]+)/(\\d{0,18})/");
  private static final String FOLDER = "04";
  private static final String FILE = "10";
  private static final int DEEPEST = 16;
  private static final int MOST_FILES = 50_000;
  private static final long MOST_BYTES = 4L << 30;

  /** One name in a folder of the image. */
  private record Entry(long folder, long inode, String mode, String name, long size) {
    boolean isFolder() {
      return mode.startsWith(FOLDER) && !name.equals(".") && !name.equals("..");
    }

    boolean isWanted() {
      return mode.startsWith(FILE)
          && (ModuleFolder.isModule(name) || name.equals(ModuleFolder.BUILTIN));
    }
  }

  @Override
  public String where() {
    return "%s in %s".formatted(modules, image);
  }

  @Override
  public boolean copyTo(Path empty) throws IOException {
    Map<Path, Entry> files = new LinkedHashMap<>();
    Map<Long, Path> level = new LinkedHashMap<>();
    for (Entry entry : list(empty, List.of("ls -p " + modules))) {
      if (entry.isFolder() && entry.name.equals("kernel")) {
        level.put(entry.inode, Path.of("kernel"));
      } else if (entry.isWanted() && entry.name.equals(ModuleFolder.BUILTIN)) {
        files.put(Path.of(entry.name), entry);
      }
    }
    int depth = 0;
    while (!level.isEmpty() && depth < DEEPEST) {
      level = descend(empty, level, files);
      depth++;
    }
    requireSensible(depth, files);
    dump(empty, files);
    return !files.isEmpty();
  }

  /** Notes the files of some folders and returns the folders in them. */
  private Map<Long, Path> descend(Path work, Map<Long, Path> level, Map<Path, Entry> files)
      throws IOException {
    Map<Long, Path> next = new LinkedHashMap<>();
    List<String> commands = level.keySet().stream().map("ls -p <%d>"::formatted).toList();
    for (Entry entry : list(work, commands)) {
      Path parent = level.get(entry.folder);
      if (parent != null && entry.isFolder()) {
        next.put(entry.inode, parent.resolve(entry.name));
      } else if (parent != null && entry.isWanted()) {
        files.putIfAbsent(parent.resolve(entry.name), entry);
      }
    }
    return next;
  }

  private void dump(Path target, Map<Path, Entry> files) throws IOException {
    List<String> commands = new ArrayList<>();
    for (Map.Entry<Path, Entry> file : files.entrySet()) {
      Files.createDirectories(target.resolve(file.getKey()).getParent());
      commands.add("dump <%d> %s".formatted(file.getValue().inode, file.getKey()));
    }
    if (!commands.isEmpty()) {
      debugfs(target, commands);
    }
    // debugfs ends with success whatever happened.
    for (Map.Entry<Path, Entry> file : files.entrySet()) {
      Path copy = target.resolve(file.getKey());
      if (!Files.isRegularFile(copy) || Files.size(copy) != file.getValue().size) {
        throw ForkdException.badRequest(
            "The module %s could not be read from %s. Next: check the image with e2fsck -fn.",
            modules.resolve(file.getKey()), image);
      }
    }
  }

  private List<Entry> list(Path work, List<String> commands) throws IOException {
    List<Entry> entries = new ArrayList<>();
    long folder = 0;
    for (String line : debugfs(work, commands).lines().toList()) {
      Matcher match = LISTED.matcher(line);
      if (!match.matches()) {
        continue;
      }
      long inode = Long.parseLong(match.group(1));
      String size = match.group(4);
      // Every listing starts with the folder itself.
      folder = match.group(3).equals(".") ? inode : folder;
      entries.add(
          new Entry(
              folder,
              inode,
              match.group(2),
              match.group(3),
              size.isEmpty() ? 0 : Long.parseLong(size)));
    }
    return entries;
  }

  private String debugfs(Path work, List<String> commands) throws IOException {
    Path script = work.resolve("debugfs-commands");
    Files.write(script, commands);
    try {
      return Command.of(Tool.DEBUGFS, "-f", script.getFileName(), image.toAbsolutePath())
          .in(work)
          .within(Duration.ofMinutes(10))
          .run();
    } finally {
      Files.delete(script);
    }
  }

  private void requireSensible(int depth, Map<Path, Entry> files) {
    long bytes = files.values().stream().mapToLong(Entry::size).sum();
    boolean oversized = files.values().stream().anyMatch(file -> file.size > MOST_BYTES);
    if (depth >= DEEPEST || files.size() > MOST_FILES || oversized || bytes > MOST_BYTES) {
      throw ForkdException.badRequest(
          "The folder %s of %s is no modules folder: it holds %d modules of %d bytes, %d folders"
              + " deep. Next: check the image with e2fsck -fn.",
          modules, image, files.size(), bytes, depth);
    }
  }
}
