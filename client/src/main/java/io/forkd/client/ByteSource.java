package io.forkd.client;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;

/** The bytes a daemon answers with, before anything is known about them. */
interface ByteSource {
  /** Reads at least one byte, or returns -1 at the end. */
  int read(byte[] target, int offset, int length) throws IOException;

  /** Reads up to a line feed, which like a carriage return before it is not part of the line. */
  String readLine(int limit) throws IOException;

  /** Those of a stream, which should be buffered. */
  static ByteSource of(InputStream in) {
    return new ByteSource() {
      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        return in.read(target, offset, length);
      }

      @Override
      public String readLine(int limit) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(80);
        for (int next = in.read(); next != '\n'; next = in.read()) {
          if (next < 0) {
            throw new EOFException("the daemon closed the connection");
          }
          if (line.size() >= limit) {
            throw new IOException("a header line is longer than " + limit + " bytes");
          }
          line.write(next);
        }
        String text = line.toString(ISO_8859_1);
        return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
      }
    };
  }
}
