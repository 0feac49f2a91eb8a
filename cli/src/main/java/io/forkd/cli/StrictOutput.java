package io.forkd.cli;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.PrintStream;

/** Standard output for bytes that must not be lost in silence, as a print stream would. */
final class StrictOutput extends FilterOutputStream {
  private final PrintStream target;

  StrictOutput(PrintStream target) {
    super(target);
    this.target = target;
  }

  @Override
  public void write(byte[] source, int offset, int length) throws IOException {
    target.write(source, offset, length);
    if (target.checkError()) {
      throw new IOException("standard output takes no more");
    }
  }

  @Override
  public void close() {
    target.flush();
  }
}
