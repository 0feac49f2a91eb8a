package io.forkd.guest;

/** The size of a terminal in characters. */
public record TerminalSize(int columns, int rows) {}
