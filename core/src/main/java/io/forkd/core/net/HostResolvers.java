package io.forkd.core.net;

import io.forkd.core.net.DnsMessage.Rcode;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Asks the host's own name servers, from the host's own network. */
final class HostResolvers implements Upstream {
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final int ROUNDS = 2;
  private static final int MOST_AT_ONCE = 256;
  private static final int LARGEST = 65_535;

  /** Someone who guesses answers has no more tries than this at one question. */
  private static final int MOST_STRANGERS = 8;

  private final HostNet host;
  private final ResolvConf conf;
  private final SecureRandom random = new SecureRandom();
  private final Semaphore turns = new Semaphore(MOST_AT_ONCE);

  HostResolvers(HostNet host, ResolvConf conf) {
    this.host = host;
    this.conf = conf;
  }

  @Override
  public DnsMessage ask(DnsMessage.Question question) throws IOException {
    if (!takeTurn()) {
      throw new IOException("too many questions are open");
    }
    try {
      List<InetSocketAddress> servers = conf.servers();
      for (int round = 0; round < ROUNDS; round++) {
        for (InetSocketAddress server : servers) {
          Optional<DnsMessage> answer = tryOne(server, question);
          if (answer.isPresent()) {
            return answer.get();
          }
        }
      }
      throw new IOException("none of %s knew %s".formatted(servers, question.name()));
    } finally {
      turns.release();
    }
  }

  private boolean takeTurn() throws IOException {
    try {
      return turns.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private Optional<DnsMessage> tryOne(InetSocketAddress server, DnsMessage.Question question) {
    try {
      DnsMessage answer = overUdp(server, question, true);
      if (answer.rcode() == Rcode.FORMAT || answer.rcode() == Rcode.NOT_IMPLEMENTED) {
        answer = overUdp(server, question, false); // an old one that does not know EDNS
      }
      if (answer.isTruncated()) {
        answer = overTcp(server, question);
      }
      return Optional.of(answer).filter(Upstream::settles);
    } catch (IOException | DnsFormatException e) {
      Log.NET.debug("{} does not answer for {}: {}", server, question.name(), e.toString());
      return Optional.empty();
    }
  }

  /** A socket of its own, so that a random port must be guessed besides the id. */
  private DnsMessage overUdp(InetSocketAddress server, DnsMessage.Question question, boolean edns)
      throws IOException {
    int id = random.nextInt(1 << Short.SIZE);
    try (DatagramChannel channel = host.call(DatagramChannel::open)) {
      DatagramSocket socket = channel.socket();
      socket.connect(server);
      byte[] query = DnsReply.query(id, question, edns);
      socket.send(new DatagramPacket(query, query.length));
      long deadline = System.nanoTime() + PATIENCE.toNanos();
      byte[] room = new byte[LARGEST];
      for (int strangers = 0; strangers < MOST_STRANGERS; strangers++) {
        socket.setSoTimeout(millisUntil(deadline));
        DatagramPacket packet = new DatagramPacket(room, room.length);
        socket.receive(packet);
        Optional<DnsMessage> answer =
            answerTo(id, question, Arrays.copyOf(room, packet.getLength()));
        if (answer.isPresent()) {
          return answer.get();
        }
      }
      throw new IOException("too many answers to other questions");
    }
  }

  private DnsMessage overTcp(InetSocketAddress server, DnsMessage.Question question)
      throws IOException, DnsFormatException {
    int id = random.nextInt(1 << Short.SIZE);
    try (SocketChannel channel = host.call(SocketChannel::open)) {
      Socket socket = channel.socket();
      socket.connect(server, (int) PATIENCE.toMillis());
      byte[] query = DnsReply.query(id, question, true);
      ByteBuffer framed = ByteBuffer.allocate(Short.BYTES + query.length);
      socket.getOutputStream().write(framed.putShort((short) query.length).put(query).array());
      byte[] message = readFramed(socket);
      return answerTo(id, question, message)
          .orElseThrow(() -> new DnsFormatException("an answer to another question"));
    }
  }

  private static byte[] readFramed(Socket socket) throws IOException {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    InputStream in = socket.getInputStream();
    ByteBuffer room = ByteBuffer.allocate(Short.BYTES + LARGEST);
    int wanted = Short.BYTES;
    while (room.position() < wanted) {
      socket.setSoTimeout(millisUntil(deadline));
      int read = in.read(room.array(), room.position(), wanted - room.position());
      if (read < 0) {
        throw new EOFException("the server hung up");
      }
      room.position(room.position() + read);
      if (room.position() == Short.BYTES) {
        wanted = Short.BYTES + (room.getShort(0) & 0xffff);
      }
    }
    return Arrays.copyOfRange(room.array(), Short.BYTES, wanted);
  }

  private static int millisUntil(long deadline) throws SocketTimeoutException {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (millis <= 0) {
      throw new SocketTimeoutException("no answer in " + PATIENCE.toMillis() + " ms");
    }
    return (int) millis;
  }

  /** Empty when it answers something else, or cannot be read. */
  static Optional<DnsMessage> answerTo(int id, DnsMessage.Question question, byte[] message) {
    try {
      DnsMessage answer = DnsMessage.parse(message);
      return answer.isResponse() && answer.id() == id && answer.question().equals(question)
          ? Optional.of(answer)
          : Optional.empty();
    } catch (DnsFormatException e) {
      return Optional.empty();
    }
  }
}
