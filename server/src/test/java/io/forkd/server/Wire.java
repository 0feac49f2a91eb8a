package io.forkd.server;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** One connection on which a test says exactly what it means, malformed or not. */
final class Wire implements AutoCloseable {
  private final SocketChannel channel;
  private final InputStream in;
  private boolean inChunks;

  private Wire(SocketAddress address) throws IOException {
    channel = SocketChannel.open(address);
    in = new BufferedInputStream(Channels.newInputStream(channel));
  }

  static Wire tcp(int port) throws IOException {
    return new Wire(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  static Wire unix(Path socket) throws IOException {
    return new Wire(UnixDomainSocketAddress.of(socket));
  }

  void send(String text) throws IOException {
    send(text.getBytes(StandardCharsets.UTF_8));
  }

  void send(byte[] bytes) throws IOException {
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    while (buffer.hasRemaining()) {
      channel.write(buffer);
    }
  }

  /** Sends a request; {@code headers} are whole lines. */
  void request(String method, String path, String body, String... headers) throws IOException {
    StringBuilder head = new StringBuilder(method + " " + path + " HTTP/1.1\r\n");
    if (String.join("\n", headers)
        .toLowerCase(Locale.ROOT)
        .lines()
        .noneMatch(h -> h.startsWith("host:"))) {
      head.append("Host: localhost\r\n");
    }
    for (String header : headers) {
      head.append(header).append("\r\n");
    }
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    head.append("Content-Length: ").append(bytes.length).append("\r\n\r\n");
    send(head.toString());
    send(bytes);
  }

  Answer answer() throws IOException {
    return answer(true);
  }

  Answer answer(boolean hasBody) throws IOException {
    return whole(head(), hasBody);
  }

  /** The whole answer, but of one that goes on for ever only its head. */
  Answer answerUnlessStream() throws IOException {
    Answer head = head();
    boolean endless =
        head.status() == 101 || head.header("content-type").startsWith("text/event-stream");
    return endless ? head : whole(head, true);
  }

  private Answer whole(Answer head, boolean hasBody) throws IOException {
    byte[] body = new byte[0];
    if (!hasBody || head.status() == 204) {
      return head;
    }
    if (head.header("transfer-encoding").equals("chunked")) {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (String chunk = chunk(); !chunk.isEmpty(); chunk = chunk()) {
        all.writeBytes(chunk.getBytes(StandardCharsets.UTF_8));
      }
      body = all.toByteArray();
    } else if (!head.header("content-length").isEmpty()) {
      body = in.readNBytes(Integer.parseInt(head.header("content-length")));
    }
    return new Answer(head.status(), head.headers(), body);
  }

  Answer head() throws IOException {
    String status = line();
    Map<String, String> headers = new TreeMap<>();
    for (String line = line(); !line.isEmpty(); line = line()) {
      int colon = line.indexOf(':');
      headers.put(
          line.substring(0, colon).toLowerCase(Locale.ROOT), line.substring(colon + 1).strip());
    }
    return new Answer(Integer.parseInt(status.split(" ")[1]), headers, new byte[0]);
  }

  /** The next chunk of a streamed answer; the last is empty. */
  String chunk() throws IOException {
    if (inChunks) {
      // The end of a chunk is sent with the next one.
      line();
    }
    int length = Integer.parseInt(line(), 16);
    inChunks = length > 0;
    if (length == 0) {
      line();
    }
    return new String(in.readNBytes(length), StandardCharsets.UTF_8);
  }

  /** What is left of a streamed answer. */
  String answerRest() throws IOException {
    StringBuilder rest = new StringBuilder();
    for (String chunk = chunk(); !chunk.isEmpty(); chunk = chunk()) {
      rest.append(chunk);
    }
    return rest.toString();
  }

  private String line() throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("The server closed the connection after '" + line + "'");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  /** Says that no more will be sent. */
  void endOutput() throws IOException {
    channel.shutdownOutput();
  }

  /** Exactly so many bytes, or fewer if the server sends no more. */
  byte[] read(int count) throws IOException {
    return in.readNBytes(count);
  }

  /** Whatever there is, at least one byte, or -1 at the end. */
  int read(byte[] target) throws IOException {
    return in.read(target);
  }

  boolean closedByServer() throws IOException {
    return in.read() < 0;
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
