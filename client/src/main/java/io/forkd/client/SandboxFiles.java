package io.forkd.client;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The files of a sandbox, as one of its users sees them. Contents are held nowhere on their way.
 */
public final class SandboxFiles {
  private static final String TAR = "application/x-tar";
  private static final int PIECE = 64 << 10;
  private static final Duration LIMIT = Duration.ofMinutes(2);

  private final Endpoint endpoint;
  private final Requests requests;
  private final String path;
  private final Optional<String> user;

  SandboxFiles(Endpoint endpoint, Requests requests, String sandbox, Optional<String> user) {
    this.endpoint = endpoint;
    this.requests = requests;
    this.path = sandbox + "/files";
    this.user = user;
  }

  /** The same files as another user sees them. */
  public SandboxFiles as(String name) {
    String sandbox = path.substring(0, path.length() - "/files".length());
    return new SandboxFiles(endpoint, requests, sandbox, Optional.of(name));
  }

  /**
   * Copies a file's bytes to a stream, which stays open.
   *
   * @return how many there were
   */
  public long read(String file, OutputStream to) {
    return download(path + at(file), LiveCall.BYTES, to);
  }

  /**
   * Copies a part of a file's bytes to a stream, which stays open.
   *
   * @param length empty means to the end
   */
  public long read(String file, long offset, OptionalLong length, OutputStream to) {
    Query query = at(file).with("offset", offset);
    if (length.isPresent()) {
      query.with("length", length.getAsLong());
    }
    return download(path + query, LiveCall.BYTES, to);
  }

  /** Makes or replaces a file, and the folders above it, with bytes as they come. */
  public FileInfo write(String file, InputStream from, FileWrite how) {
    Query query = at(file).flag("append", how.append()).with("mode", how.mode());
    return FileInfo.from(
        Json.parseObject(
            LiveCall.upload(endpoint, "PUT", path + query, LiveCall.BYTES, from, how.size(), false)
                .text()));
  }

  /** What lies in a folder, and below it down to a depth; 1 means only in it. */
  public List<FileInfo> list(String folder, int depth) {
    return requests.list(path + "/list" + at(folder).with("depth", depth)).stream()
        .map(FileInfo::from)
        .toList();
  }

  public FileInfo stat(String file) {
    return FileInfo.from(requests.get(path + "/stat" + at(file)));
  }

  /** Makes a folder and those above it. */
  public FileInfo makeFolder(String folder) {
    return FileInfo.from(
        requests.post(path + "/mkdir", asUser(JsonObject.ofPairs("path", folder)), LIMIT));
  }

  public FileInfo move(String from, String to) {
    return FileInfo.from(
        requests.post(path + "/move", asUser(JsonObject.ofPairs("from", from, "to", to)), LIMIT));
  }

  /** Removes a file, or a folder with all in it. */
  public void remove(String file) {
    requests.call("DELETE", path + at(file), Optional.empty(), LIMIT);
  }

  public FileInfo setAttributes(String file, FileAttributes attributes) {
    JsonObject body = asUser(attributes.addTo(JsonObject.ofPairs("path", file)));
    return FileInfo.from(requests.post(path + "/attributes", body, LIMIT));
  }

  /** Tells what happens in a folder, once it has said that it began to listen. */
  public Feed<FileChange> watch(String folder, boolean recursive) {
    String where = path + "/watch" + at(folder).flag("recursive", recursive);
    return new Feed<>(
        LiveCall.send(endpoint, "GET", where, Call.NDJSON, Optional.empty()),
        FileChange::from,
        Optional.empty());
  }

  /** Copies a file or folder and all in it to a stream, as a tar archive. */
  public long readTar(String file, OutputStream to) {
    return download(path + "/tar" + at(file), TAR, to);
  }

  /** The same, to be read; closing it ends the call. */
  public InputStream openTar(String file) {
    LiveCall.Answer answer = get(path + "/tar" + at(file), TAR);
    return new FilterInputStream(answer.body()) {
      @Override
      public void close() {
        answer.close();
      }
    };
  }

  /** Unpacks a tar archive in a folder, which is made where it is missing. */
  public void writeTar(String folder, InputStream from) {
    LiveCall.upload(
        endpoint, "PUT", path + "/tar" + at(folder), TAR, from, OptionalLong.empty(), false);
  }

  private long download(String where, String type, OutputStream to) {
    try (LiveCall.Answer answer = get(where, type)) {
      return copy(answer, to);
    }
  }

  private LiveCall.Answer get(String where, String type) {
    return LiveCall.send(endpoint, "GET", where, type + ", application/json", Optional.empty());
  }

  /** Failures of the target are told apart from those of the daemon. */
  private static long copy(LiveCall.Answer answer, OutputStream to) {
    byte[] piece = new byte[PIECE];
    long total = 0;
    while (true) {
      int count;
      try {
        count = answer.body().read(piece, 0, piece.length);
      } catch (IOException e) {
        throw answer.call().broken(e);
      }
      if (count < 0) {
        return total;
      }
      try {
        to.write(piece, 0, count);
      } catch (IOException e) {
        throw new ForkdClientException(
            ForkdClientException.BROKEN,
            "Cannot write what the daemon sent after %d bytes (%s). Next: look for room where it goes."
                .formatted(total, e.getMessage()),
            e);
      }
      total += count;
    }
  }

  private Query at(String file) {
    return new Query().with("path", file).with("user", user);
  }

  private JsonObject asUser(JsonObject body) {
    return body.with("user", user);
  }
}
