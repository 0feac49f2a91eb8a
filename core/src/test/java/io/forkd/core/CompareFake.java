package io.forkd.core;

import io.forkd.base.ForkdException;
import io.forkd.guest.GuestEntry;
import io.forkd.guest.GuestProcess;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** A guest made by hand: an image, what was written over it, and processes. */
final class CompareFake implements GuestView {
  private final Map<String, GuestEntry> image = new TreeMap<>();
  private final Map<String, GuestEntry> written = new TreeMap<>();
  private final Map<String, byte[]> contents = new TreeMap<>();
  private final List<GuestProcess> processes = new ArrayList<>();
  final List<String> described = new ArrayList<>();
  final List<String> read = new ArrayList<>();

  CompareFake inImage(GuestEntry entry) {
    image.put(entry.path(), entry);
    return this;
  }

  CompareFake inImage(String path, String content) {
    contents.putIfAbsent(path, content.getBytes(StandardCharsets.UTF_8));
    return inImage(file(path, content));
  }

  CompareFake write(GuestEntry entry) {
    written.put(entry.path(), entry);
    return this;
  }

  CompareFake write(String path, String content) {
    contents.put(path, content.getBytes(StandardCharsets.UTF_8));
    return write(file(path, content));
  }

  CompareFake writeBytes(String path, byte[] content) {
    contents.put(path, content);
    return write(entry(path, GuestEntry.Type.FILE, 0644, content.length, hash(content), ""));
  }

  CompareFake remove(String path) {
    return write(entry(path, GuestEntry.Type.REMOVED, 0, 0, "", ""));
  }

  CompareFake run(long pid, String name) {
    processes.add(new GuestProcess(pid, 1, name, List.of(name)));
    return this;
  }

  /** The content changes after the file was listed. */
  CompareFake forget(String path) {
    contents.remove(path);
    return this;
  }

  static GuestEntry file(String path, String content) {
    byte[] bytes = content.getBytes(StandardCharsets.UTF_8);
    GuestEntry plain = entry(path, GuestEntry.Type.FILE, 0644, bytes.length, hash(bytes), "");
    return new GuestEntry(
        path,
        plain.type(),
        plain.mode(),
        plain.uid(),
        plain.gid(),
        plain.size(),
        OptionalInt.of((int) content.lines().count()),
        plain.digest(),
        plain.target(),
        false);
  }

  static GuestEntry directory(String path, int mode) {
    return entry(path, GuestEntry.Type.DIRECTORY, mode, 0, "", "");
  }

  static GuestEntry symlink(String path, String target) {
    return entry(path, GuestEntry.Type.SYMLINK, 0777, 0, "", target);
  }

  static GuestEntry entry(
      String path, GuestEntry.Type type, int mode, long size, String digest, String target) {
    return new GuestEntry(
        path,
        type,
        mode,
        0,
        0,
        size,
        OptionalInt.empty(),
        Optional.of(digest).filter(it -> !it.isEmpty()),
        Optional.of(target).filter(it -> !it.isEmpty()),
        false);
  }

  static GuestEntry ownedBy(GuestEntry entry, long uid) {
    return new GuestEntry(
        entry.path(),
        entry.type(),
        entry.mode(),
        uid,
        entry.gid(),
        entry.size(),
        entry.lines(),
        entry.digest(),
        entry.target(),
        entry.opaque());
  }

  private static String hash(byte[] content) {
    return Integer.toHexString(Arrays.hashCode(content));
  }

  @Override
  public List<GuestEntry> changedFiles() {
    return List.copyOf(written.values());
  }

  @Override
  public List<GuestEntry> allFiles() {
    Map<String, GuestEntry> all = new TreeMap<>(image);
    all.putAll(written);
    return all.values().stream().filter(entry -> entry.type() != GuestEntry.Type.REMOVED).toList();
  }

  @Override
  public List<GuestEntry> describe(List<String> paths) {
    described.addAll(paths);
    return allFiles().stream().filter(entry -> paths.contains(entry.path())).toList();
  }

  @Override
  public byte[] read(String path, long most) {
    read.add(path);
    byte[] content = contents.get(path);
    if (content == null || content.length > most) {
      throw ForkdException.notFound("no %s", path);
    }
    return content.clone();
  }

  @Override
  public List<GuestProcess> processes() {
    return processes;
  }
}
