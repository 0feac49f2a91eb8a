package io.forkd.bench;

/** A program that wants all of something and never ends by itself. */
enum Hog {
  FORK_BOMB("fork bomb", "bomb() { bomb | bomb & sleep 0.1; }; while :; do bomb; done"),

  /** Writes to more memory than the guest has free, over and over; its kernel ends some of it. */
  MEMORY(
      "memory hog",
      "while :; do python3 -c 'x = bytearray(300 << 20)\nwhile True:\n"
          + "  for i in range(0, len(x), 4096): x[i] ^= 1'; done"),

  /** Its writes stay in the guest's memory; its reads come from the host. */
  DISK(
      "disk hog",
      "while :; do dd if=/dev/zero of=/tmp/hog bs=1M count=64; cat /usr/lib/*/* > /dev/null;"
          + " done 2> /dev/null");

  private final String title;
  private final String script;

  Hog(String title, String script) {
    this.title = title;
    this.script = script;
  }

  String title() {
    return title;
  }

  String script() {
    return script;
  }
}
