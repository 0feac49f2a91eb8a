package io.forkd.linux;

/** How a file is opened. Every open also refuses a symbolic link and closes on exec. */
public enum OpenFlag {
  READ(0),
  WRITE(1),
  READ_WRITE(2),
  CREATE(0x40),
  /** Fails when the file exists; together with {@link #CREATE}. */
  EXCLUSIVE(0x80),
  TRUNCATE(0x200),
  APPEND(0x400),
  NON_BLOCKING(0x800),
  /** Fails when it is not a directory. */
  DIRECTORY(Arch.host().openDirectory),
  /** Names the file without opening it. */
  PATH(0x200000),
  /** An unnamed file in the directory given as the path; together with a writing flag. */
  TEMPORARY(0x400000 | Arch.host().openDirectory);

  static final int CLOEXEC = 0x80000;

  final int bits;

  OpenFlag(int bits) {
    this.bits = bits;
  }

  static int bits(OpenFlag... flags) {
    int bits = CLOEXEC | Arch.host().openNoFollow;
    for (OpenFlag flag : flags) {
      bits |= flag.bits;
    }
    return bits;
  }
}
