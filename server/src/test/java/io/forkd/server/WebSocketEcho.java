package io.forkd.server;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A WebSocket server that says every frame back, and its frames for a client without a library. */
final class WebSocketEcho {
  private static final Pattern KEY = Pattern.compile("(?im)^sec-websocket-key: *(\\S+)");
  private static final int CLOSE = 8;

  private WebSocketEcho() {}

  static void serve(Socket socket) throws Exception {
    String head = GuestProgram.head(socket);
    Matcher key = KEY.matcher(head);
    if (!key.find()) {
      throw new IOException("no key in " + head);
    }
    MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
    byte[] digest =
        sha1.digest((key.group(1) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(UTF_8));
    String protocol =
        head.contains("Sec-WebSocket-Protocol: chat") ? "Sec-WebSocket-Protocol: chat\r\n" : "";
    GuestProgram.send(
        socket,
        "HTTP/1.1 101 Switching\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n%sSec-WebSocket-Accept: %s\r\n\r\n"
            .formatted(protocol, Base64.getEncoder().encodeToString(digest)));
    DataInputStream in = new DataInputStream(socket.getInputStream());
    DataOutputStream out = new DataOutputStream(socket.getOutputStream());
    while (echo(in, out)) {
      out.flush();
    }
  }

  /** Whether the conversation goes on. */
  private static boolean echo(DataInputStream in, DataOutputStream out) throws IOException {
    int first = in.readUnsignedByte();
    int length = in.readUnsignedByte() & 0x7f;
    length =
        switch (length) {
          case 126 -> in.readUnsignedShort();
          case 127 -> (int) in.readLong();
          default -> length;
        };
    byte[] mask = in.readNBytes(4);
    byte[] payload = in.readNBytes(length);
    for (int i = 0; i < payload.length; i++) {
      payload[i] ^= mask[i % 4];
    }
    out.writeByte(first);
    if (length < 126) {
      out.writeByte(length);
    } else if (length < 1 << 16) {
      out.writeByte(126);
      out.writeShort(length);
    } else {
      out.writeByte(127);
      out.writeLong(length);
    }
    out.write(payload);
    return (first & 0xf) != CLOSE;
  }

  /** A short text as clients send it. */
  static byte[] masked(String text) {
    byte[] payload = text.getBytes(UTF_8);
    byte[] frame = new byte[6 + payload.length];
    frame[0] = (byte) 0x81;
    frame[1] = (byte) (0x80 | payload.length);
    for (int i = 0; i < 4; i++) {
      frame[2 + i] = (byte) (i * 37 + 5);
    }
    for (int i = 0; i < payload.length; i++) {
      frame[6 + i] = (byte) (payload[i] ^ frame[2 + i % 4]);
    }
    return frame;
  }

  /** A short text as servers send it. */
  static byte[] plain(String text) {
    byte[] payload = text.getBytes(UTF_8);
    byte[] frame = new byte[2 + payload.length];
    frame[0] = (byte) 0x81;
    frame[1] = (byte) payload.length;
    System.arraycopy(payload, 0, frame, 2, payload.length);
    return frame;
  }
}
