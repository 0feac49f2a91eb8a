package io.forkd.core;

import io.forkd.guest.FileChange;
import io.forkd.guest.FileContent;
import io.forkd.guest.FileEntry;
import io.forkd.guest.FileTree;
import io.forkd.guest.FileWatch;
import io.forkd.guest.FileWrite;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A sandbox's files; it is in use while somebody reads, writes or watches some. */
record CountedFiles(FileTree inner, Activity activity) implements FileTree {
  @Override
  public FileEntry stat(String path) {
    return activity.during(() -> inner.stat(path));
  }

  @Override
  public List<FileEntry> list(String path, int depth) {
    return activity.during(() -> inner.list(path, depth));
  }

  @Override
  public FileEntry makeFolder(String path) {
    return activity.during(() -> inner.makeFolder(path));
  }

  @Override
  public FileEntry move(String from, String to) {
    return activity.during(() -> inner.move(from, to));
  }

  @Override
  public void remove(String path) {
    activity.during(() -> inner.remove(path));
  }

  @Override
  public FileEntry change(String path, FileChange change) {
    return activity.during(() -> inner.change(path, change));
  }

  @Override
  public FileContent read(String path, long offset, OptionalLong length) {
    return activity.open(() -> inner.read(path, offset, length), CountedContent::new);
  }

  @Override
  public FileEntry write(String path, FileWrite how, InputStream content) throws IOException {
    try (Activity.Use _ = activity.begin()) {
      return inner.write(path, how, content);
    }
  }

  @Override
  public FileWatch watch(String path, boolean recursive) {
    return activity.open(() -> inner.watch(path, recursive), CountedWatch::new);
  }

  @Override
  public FileContent download(String path) {
    return activity.open(() -> inner.download(path), CountedContent::new);
  }

  @Override
  public void upload(String path, InputStream tar) throws IOException {
    try (Activity.Use _ = activity.begin()) {
      inner.upload(path, tar);
    }
  }

  private record CountedContent(FileContent inner, Activity.Use use) implements FileContent {
    @Override
    public OptionalLong length() {
      return inner.length();
    }

    @Override
    public InputStream stream() {
      return inner.stream();
    }

    @Override
    public void close() {
      use.closeAfter(inner::close);
    }
  }

  private record CountedWatch(FileWatch inner, Activity.Use use) implements FileWatch {
    @Override
    public Optional<Change> next(Duration wait) throws InterruptedException {
      return inner.next(wait);
    }

    @Override
    public void close() {
      use.closeAfter(inner::close);
    }
  }
}
