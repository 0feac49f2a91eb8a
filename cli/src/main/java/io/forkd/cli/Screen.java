package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;

/** One picture of a terminal's screen, drawn over the last one without a flicker. */
final class Screen {
  private static final int USUAL_ROWS = 24;
  private static final String HOME = "\u001b[H";
  private static final String CLEAR_REST_OF_LINE = "\u001b[K";
  private static final String CLEAR_BELOW = "\u001b[J";

  private final ByteArrayOutputStream drawn = new ByteArrayOutputStream();

  /** Where to draw. */
  PrintStream lines() {
    return new PrintStream(drawn, true, UTF_8);
  }

  /** What makes a terminal show it. */
  String frame() {
    return HOME + drawn.toString(UTF_8).replace("\n", CLEAR_REST_OF_LINE + "\n") + CLEAR_BELOW;
  }

  /** How many lines the terminal has now. */
  static int rows() {
    try {
      Process process =
          new ProcessBuilder("stty", "size")
              .redirectInput(new File("/dev/tty"))
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String size = new String(process.getInputStream().readAllBytes(), UTF_8);
      return size.matches("[1-9]\\d{0,3} \\d+\\s*")
          ? Integer.parseInt(size.substring(0, size.indexOf(' ')))
          : USUAL_ROWS;
    } catch (IOException e) {
      return USUAL_ROWS;
    }
  }
}
