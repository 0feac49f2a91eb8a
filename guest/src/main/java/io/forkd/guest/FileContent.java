package io.forkd.guest;

import java.io.InputStream;
import java.util.OptionalLong;

/** Bytes that come from a guest as they are read. */
public interface FileContent extends AutoCloseable {
  /** How many will come, when that is known. */
  OptionalLong length();

  /** Reading past a failure of the guest throws an {@link java.io.IOException} that says it. */
  InputStream stream();

  @Override
  void close();
}
