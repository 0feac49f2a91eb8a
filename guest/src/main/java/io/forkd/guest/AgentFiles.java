package io.forkd.guest;

import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The files of a guest, over the channel to its agent. */
final class AgentFiles implements FileTree {
  private final Connection connection;
  private final Optional<String> user;

  AgentFiles(Connection connection, Optional<String> user) {
    this.connection = connection;
    this.user = user;
  }

  @Override
  public FileEntry stat(String path) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public List<FileEntry> list(String path, int depth) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileEntry makeFolder(String path) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileEntry move(String from, String to) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void remove(String path) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileEntry change(String path, FileChange change) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileContent read(String path, long offset, OptionalLong length) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileEntry write(String path, FileWrite how, InputStream content) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileWatch watch(String path, boolean recursive) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public FileContent download(String path) {
    throw new UnsupportedOperationException("not built yet");
  }

  @Override
  public void upload(String path, InputStream tar) {
    throw new UnsupportedOperationException("not built yet");
  }
}
