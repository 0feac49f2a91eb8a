package io.forkd.client;

/** How many characters a terminal shows. */
public record TerminalSize(int columns, int rows) {
  JsonObject toJson() {
    return JsonObject.ofPairs("cols", columns, "rows", rows);
  }
}
