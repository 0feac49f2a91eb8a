package io.forkd.cli;

/**
 * One thing in a tar archive.
 *
 * @param type as the archive's letter says
 * @param mode its permissions
 * @param modified in seconds since 1970
 * @param link where a link points to, empty for all else
 */
record TarEntry(char type, String path, int mode, long size, long modified, String link) {
  boolean isFile() {
    return type == '0' || type == '\0' || type == '7';
  }

  boolean isFolder() {
    return type == '5';
  }

  boolean isSymlink() {
    return type == '2';
  }

  boolean isHardLink() {
    return type == '1';
  }
}
