package io.forkd.store;

import io.forkd.base.Tag;
import java.nio.file.Path;

/** A snapshot's folder whose manifest cannot be read, and why. */
public record DamagedSnapshot(Tag tag, Path dir, String reason) {}
