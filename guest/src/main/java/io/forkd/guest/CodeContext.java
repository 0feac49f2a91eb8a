package io.forkd.guest;

/** A running interpreter with a state of its own. */
public record CodeContext(String id, Language language, String cwd) {}
