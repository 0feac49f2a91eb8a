package io.forkd.linux;

/**
 * A mapped range of some process's memory. Where it lies in that process stays inside this module.
 */
public final class MemoryArea {
  private final long start;
  private final long size;
  private final String name;
  private final String permissions;
  private final long fileOffset;

  MemoryArea(long start, long size, String name, String permissions, long fileOffset) {
    this.start = start;
    this.size = size;
    this.name = name;
    this.permissions = permissions;
    this.fileOffset = fileOffset;
  }

  /** A mapping of our own. */
  public static MemoryArea of(Mapping mapping) {
    return new MemoryArea(mapping.segment().address(), mapping.size(), "", "rw-p", 0);
  }

  long start() {
    return start;
  }

  long end() {
    return start + size;
  }

  public long size() {
    return size;
  }

  /** The file's path, {@code /memfd:name (deleted)}, {@code [heap]} or empty. */
  public String name() {
    return name;
  }

  /** Where in the file it begins. */
  public long fileOffset() {
    return fileOffset;
  }

  public boolean writable() {
    return permissions.charAt(1) == 'w';
  }

  /** Whether writes stay in the process (MAP_PRIVATE). */
  public boolean copyOnWrite() {
    return permissions.charAt(3) == 'p';
  }

  String permissions() {
    return permissions;
  }

  boolean executable() {
    return permissions.charAt(2) == 'x';
  }

  /** Whether a range given by offset lies inside. */
  boolean contains(PageRange range) {
    return range.offset() >= 0 && range.length() > 0 && range.offset() <= size - range.length();
  }

  @Override
  public String toString() {
    return "%s (%d bytes, %s)".formatted(name.isEmpty() ? "unnamed" : name, size, permissions);
  }
}
