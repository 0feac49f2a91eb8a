package io.forkd.cli;

/** The {@code forkd} command's entry point. */
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    // Answered before anything else is loaded: scripts ask for it often.
    if (args.length == 1 && (args[0].equals("--version") || args[0].equals("-V"))) {
      System.out.println("forkd " + Version.text());
      return;
    }
    int code = Cli.run(Context.ofProcess(), args);
    System.out.flush();
    System.err.flush();
    // Not halt: an AOT training run writes its cache on the way out.
    System.exit(code);
  }
}
