package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.ProtocolException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;

/**
 * The client's side of a WebSocket (RFC 6455) on any connection, of which the JDK's own offers only
 * TCP. One thread receives; any may send.
 */
final class WebSocket implements Closeable {
  private static final String GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
  private static final int CONTINUATION = 0;
  private static final int TEXT = 1;
  private static final int BINARY = 2;
  private static final int CLOSE = 8;
  private static final int PING = 9;
  private static final int PONG = 10;
  private static final int FINAL = 0x80;
  private static final int MASKED = 0x80;

  /** The number 1000. */
  private static final byte[] NORMAL_CLOSURE = {3, (byte) 0xe8};

  private static final int LARGEST_MESSAGE = 16 << 20;
  private static final int LARGEST_CONTROL = 125;

  /** A whole message. */
  record Message(boolean text, byte[] bytes) {
    String string() {
      return new String(bytes, UTF_8);
    }
  }

  private record Frame(boolean last, int opcode, byte[] bytes) {}

  private final SecureRandom random;
  private final Wire wire;
  private final DataInputStream in;
  private final Object sending = new Object();

  private final OutputStream out;

  private boolean closing;

  private WebSocket(Upgrade upgrade, SecureRandom random) {
    this.random = random;
    this.wire = upgrade.wire();
    this.in = new DataInputStream(upgrade.input());
    this.out = upgrade.wire().output();
  }

  static WebSocket open(Endpoint endpoint, String path) {
    SecureRandom random = new SecureRandom();
    byte[] nonce = new byte[16];
    random.nextBytes(nonce);
    String key = Base64.getEncoder().encodeToString(nonce);
    String headers = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: %s\r\n".formatted(key);
    Upgrade upgrade = Upgrade.open(endpoint, path, "websocket", headers);
    if (!isAnswer(upgrade.headers(), key)) {
      upgrade.wire().close();
      throw ForkdClientException.broken(
          "GET " + path, endpoint, new ProtocolException("the answer is not a WebSocket's"));
    }
    return new WebSocket(upgrade, random);
  }

  private static boolean isAnswer(Map<String, String> headers, String key) {
    return "websocket".equalsIgnoreCase(headers.getOrDefault("upgrade", ""))
        && acceptance(key).equals(headers.get("sec-websocket-accept"));
  }

  /** What a server that speaks the protocol makes of a key. */
  static String acceptance(String key) {
    try {
      MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
      return Base64.getEncoder().encodeToString(sha1.digest((key + GUID).getBytes(ISO_8859_1)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JVM has SHA-1", e);
    }
  }

  void sendText(String text) throws IOException {
    send(TEXT, text.getBytes(UTF_8));
  }

  void sendBytes(byte[] bytes) throws IOException {
    send(BINARY, bytes);
  }

  /** Waits for the next message; empty when the other side has said goodbye. */
  Optional<Message> receive() throws IOException {
    Optional<Frame> first = dataFrame();
    if (first.isEmpty()) {
      return Optional.empty();
    }
    Frame frame = first.get();
    if (frame.opcode == CONTINUATION) {
      throw new ProtocolException("a message begins in its middle");
    }
    ByteArrayOutputStream message = new ByteArrayOutputStream(frame.bytes.length);
    message.writeBytes(frame.bytes);
    while (!frame.last) {
      frame = dataFrame().orElseThrow(() -> new EOFException("a message has no end"));
      if (frame.opcode != CONTINUATION || message.size() + frame.bytes.length > LARGEST_MESSAGE) {
        throw new ProtocolException("a message is interrupted or too long");
      }
      message.writeBytes(frame.bytes);
    }
    return Optional.of(new Message(first.get().opcode == TEXT, message.toByteArray()));
  }

  /** The next frame that is not about the connection itself; those are answered. */
  private Optional<Frame> dataFrame() throws IOException {
    while (true) {
      Frame frame = frame();
      switch (frame.opcode) {
        case CONTINUATION, TEXT, BINARY -> {
          return Optional.of(frame);
        }
        case PING -> send(PONG, frame.bytes);
        case PONG -> {}
        case CLOSE -> {
          sayGoodbye();
          return Optional.empty();
        }
        default -> throw new ProtocolException("a frame is of no known kind");
      }
    }
  }

  private Frame frame() throws IOException {
    int start = in.readUnsignedByte();
    int lengths = in.readUnsignedByte();
    long length = lengths & 0x7f;
    if (length == 126) {
      length = in.readUnsignedShort();
    } else if (length == 127) {
      length = in.readLong();
    }
    int opcode = start & 0x0f;
    int most = opcode >= CLOSE ? LARGEST_CONTROL : LARGEST_MESSAGE;
    if ((start & 0x70) != 0 || (lengths & MASKED) != 0 || length < 0 || length > most) {
      throw new ProtocolException("a frame is malformed or too long");
    }
    byte[] bytes = new byte[(int) length];
    in.readFully(bytes);
    return new Frame((start & FINAL) != 0, opcode, bytes);
  }

  private void send(int opcode, byte[] bytes) throws IOException {
    byte[] frame = encode(opcode, bytes);
    synchronized (sending) {
      if (!closing) {
        closing = opcode == CLOSE;
        out.write(frame, 0, frame.length);
        out.flush();
      }
    }
  }

  private byte[] encode(int opcode, byte[] bytes) throws IOException {
    ByteArrayOutputStream frame = new ByteArrayOutputStream(14 + bytes.length);
    DataOutputStream head = new DataOutputStream(frame);
    head.writeByte(FINAL | opcode);
    if (bytes.length < 126) {
      head.writeByte(MASKED | bytes.length);
    } else if (bytes.length < 1 << 16) {
      head.writeByte(MASKED | 126);
      head.writeShort(bytes.length);
    } else {
      head.writeByte(MASKED | 127);
      head.writeLong(bytes.length);
    }
    byte[] mask = new byte[4];
    random.nextBytes(mask);
    head.write(mask);
    for (int i = 0; i < bytes.length; i++) {
      head.writeByte(bytes[i] ^ mask[i & 3]);
    }
    return frame.toByteArray();
  }

  private void sayGoodbye() {
    try {
      send(CLOSE, NORMAL_CLOSURE);
    } catch (IOException e) {
      // Who has hung up needs no goodbye.
      return;
    }
  }

  @Override
  public void close() {
    sayGoodbye();
    wire.close();
  }
}
