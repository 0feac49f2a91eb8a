package io.forkd.server.e2b;

import io.forkd.base.ForkdException;
import io.forkd.guest.FileContent;
import io.forkd.guest.FileEntry;
import io.forkd.guest.FileTree;
import io.forkd.guest.FileWrite;
import io.forkd.guest.GuestFailure;
import io.forkd.guest.GuestRefusal;
import io.forkd.server.http.Exchange;
import io.forkd.server.http.Header;
import io.forkd.server.http.HttpProblem;
import io.forkd.server.http.JsonObject;
import io.forkd.server.http.RawExchange;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** Reads and writes of whole files. */
final class FilesRest {
  private static final String METADATA = "x-metadata-";
  private static final int CHUNK = 64 << 10;

  private FilesRest() {}

  static void handle(Session session, Exchange exchange) throws IOException {
    try {
      switch (exchange.method()) {
        case "GET" -> read(session.files(), exchange);
        case "POST" -> write(session.files(), exchange);
        default ->
            throw new HttpProblem(405, "/files takes GET and POST.", Map.of("Allow", "GET, POST"));
      }
    } catch (GuestRefusal e) {
      throw new HttpProblem(status(e.why()), String.valueOf(e.getMessage()));
    }
  }

  private static int status(GuestFailure why) {
    return switch (why) {
      case NO_SUCH_USER -> 401;
      case NO_SPACE -> 507;
      case DENIED -> 403;
      default -> why.code().httpStatus();
    };
  }

  private static void read(FileTree files, Exchange exchange) throws IOException {
    String path =
        exchange
            .query("path")
            .orElseThrow(() -> ForkdException.badRequest("path is missing in the query."));
    try (FileContent content = files.read(path, 0, OptionalLong.empty())) {
      RawExchange raw = exchange.raw();
      raw.begin(
          200,
          List.of(
              new Header("Content-Type", "application/octet-stream"),
              new Header("Cache-Control", "no-store"),
              new Header("X-Content-Type-Options", "nosniff")),
          content.length());
      InputStream in = content.stream();
      byte[] buffer = new byte[CHUNK];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        raw.write(buffer, 0, count);
      }
      raw.end();
    }
  }

  private static void write(FileTree files, Exchange exchange) throws IOException {
    Optional<String> path = exchange.query("path").filter(text -> !text.isEmpty());
    FileWrite how = new FileWrite(false, Optional.empty(), metadata(exchange));
    InputStream body = body(exchange);
    Optional<Multipart> form = Multipart.of(exchange.header("Content-Type").orElse(""), body);
    List<JsonObject> written = new ArrayList<>();
    if (form.isPresent()) {
      for (FileEntry entry : parts(files, form.get(), path, how)) {
        written.add(Entries.written(entry));
      }
    } else {
      String name =
          path.orElseThrow(() -> ForkdException.badRequest("path is missing in the query."));
      written.add(Entries.written(files.write(name, how, body)));
    }
    exchange.respond(200, written);
  }

  private static List<FileEntry> parts(
      FileTree files, Multipart form, Optional<String> path, FileWrite how) throws IOException {
    List<FileEntry> written = new ArrayList<>();
    for (Optional<Multipart.Part> part = form.next(); part.isPresent(); part = form.next()) {
      if (!part.get().name().equals("file")) {
        continue;
      }
      if (path.isPresent() && !written.isEmpty()) {
        throw ForkdException.badRequest(
            "There are several files but one path: leave path out of the query.");
      }
      String name =
          path.or(part.get()::fileName)
              .filter(text -> !text.isEmpty())
              .orElseThrow(() -> ForkdException.badRequest("A file has no path."));
      written.add(files.write(name, how, part.get().content()));
    }
    if (written.isEmpty()) {
      throw ForkdException.badRequest("The form has no part named 'file': send one.");
    }
    return written;
  }

  private static InputStream body(Exchange exchange) throws IOException {
    InputStream body = exchange.raw().body();
    String encoding = exchange.header("Content-Encoding").orElse("identity");
    return switch (encoding) {
      case "identity" -> body;
      case "gzip" -> unzipped(body);
      default ->
          throw new HttpProblem(415, "The content's encoding is not known here: use gzip or none.");
    };
  }

  private static InputStream unzipped(InputStream body) throws IOException {
    try {
      return new GZIPInputStream(body, CHUNK);
    } catch (ZipException e) {
      throw ForkdException.badRequest("The body is not in gzip, though its encoding says so.");
    }
  }

  private static Map<String, String> metadata(Exchange exchange) {
    Map<String, String> metadata = new HashMap<>();
    for (Header header : exchange.raw().headers()) {
      if (header.key().startsWith(METADATA)) {
        metadata.put(header.key().substring(METADATA.length()), header.value());
      }
    }
    return metadata;
  }
}
