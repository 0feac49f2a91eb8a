package io.forkd.linux;

/** Neighbouring pages of a {@link MemoryArea}, by their distance from its beginning, in bytes. */
public record PageRange(long offset, long length) {
  public long end() {
    return offset + length;
  }
}
