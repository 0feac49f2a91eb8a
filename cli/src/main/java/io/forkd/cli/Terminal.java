package io.forkd.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.forkd.client.Json;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;

/**
 * Where a command's words go: results to {@code out}, everything else to {@code err}.
 *
 * @param liveOut whether {@code out} is a screen that may be drawn over
 * @param liveErr whether {@code err} is a screen that a line may be redrawn on
 * @param colour whether {@code out} may be coloured
 * @param asking whether a person can be asked something
 */
record Terminal(
    PrintStream out,
    PrintStream err,
    InputStream in,
    boolean liveOut,
    boolean liveErr,
    boolean colour,
    boolean asking) {

  static Terminal ofProcess(Map<String, String> env) {
    boolean dumb = "dumb".equals(env.get("TERM"));
    boolean noColour = !env.getOrDefault("NO_COLOR", "").isEmpty();
    return new Terminal(
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, UTF_8),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, UTF_8),
        System.in,
        isTerminal(1) && !dumb,
        isTerminal(2) && !dumb,
        isTerminal(1) && !dumb && !noColour,
        isTerminal(0) && isTerminal(2));
  }

  /** The same with another place for results. */
  Terminal printingTo(PrintStream place) {
    return new Terminal(place, err, in, liveOut, liveErr, colour, asking);
  }

  /** Whether what is read is typed by a person, key by key. */
  boolean typed() {
    return in.equals(System.in) && isTerminal(0);
  }

  void json(Object value) {
    out.println(Json.write(value));
  }

  /** Asks a question whose answer is no unless it begins with y. */
  boolean confirm(String question) {
    if (!asking) {
      return false;
    }
    err.print(question + " [y/N] ");
    err.flush();
    try {
      String answer = new BufferedReader(new InputStreamReader(in, UTF_8)).readLine();
      return answer != null && answer.strip().toLowerCase(Locale.ROOT).startsWith("y");
    } catch (IOException e) {
      return false;
    }
  }

  String green(String text) {
    return paint("32", text);
  }

  String yellow(String text) {
    return paint("33", text);
  }

  String red(String text) {
    return paint("31", text);
  }

  String bold(String text) {
    return paint("1", text);
  }

  String faint(String text) {
    return paint("2", text);
  }

  private String paint(String code, String text) {
    return colour ? "\u001b[" + code + "m" + text + "\u001b[0m" : text;
  }

  /** Terminals are the character devices a process can be controlled from. */
  private static boolean isTerminal(int descriptor) {
    try {
      String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
      return target.startsWith("/dev/pts/")
          || target.startsWith("/dev/tty")
          || target.equals("/dev/console");
    } catch (IOException e) {
      return false;
    }
  }
}
