package io.forkd.guest;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.OptionalLong;

/**
 * The files of a guest as one user names them: a path is absolute, begins with {@code ~}, or is
 * relative to the user's home. Work is done as root; what is made belongs to the user. Failures
 * about files are {@link GuestRefusal}s.
 */
public interface FileTree {
  /** What is at a path, a symlink itself and not what it leads to. */
  FileEntry stat(String path);

  /** What is in a folder, at most this many levels down: 1 is the folder's own entries. */
  List<FileEntry> list(String path, int depth);

  /** Makes a folder and those above it; fails with EXISTS when there is one. */
  FileEntry makeFolder(String path);

  FileEntry move(String from, String to);

  /** Removes a file, or a folder with all in it; what is not there needs no removing. */
  void remove(String path);

  FileEntry change(String path, FileChange change);

  /**
   * The content of a file.
   *
   * @param length of what is wanted; empty means to the end
   */
  FileContent read(String path, long offset, OptionalLong length);

  /** Writes a file from a stream that is read as the guest takes it; makes folders above it. */
  FileEntry write(String path, FileWrite how, InputStream content) throws IOException;

  /** Tells what changes in a folder from the moment this returns. */
  FileWatch watch(String path, boolean recursive);

  /** A folder's content, or one file, as a tar stream. */
  FileContent download(String path);

  /** Unpacks a tar stream into a folder, which is made. */
  void upload(String path, InputStream tar) throws IOException;
}
