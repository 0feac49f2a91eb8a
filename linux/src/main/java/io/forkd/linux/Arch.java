package io.forkd.linux;

import java.util.Locale;

/** The processor architectures forkd runs on, with the kernel numbers that differ between them. */
public enum Arch {
  X86_64(0x10000, 0x20000, 323, 298, 12, 4, 3, 9, 39),
  AARCH64(0x4000, 0x8000, 282, 241, 16, 8, 57, 222, 172);

  /** System calls with one number on both: they were added after the tables were unified. */
  static final int PIDFD_SEND_SIGNAL = 424;

  static final int PIDFD_OPEN = 434;
  static final int PIDFD_GETFD = 438;

  private static final Arch HOST = of(System.getProperty("os.arch"));

  final int openDirectory;
  final int openNoFollow;
  final int userfaultfd;
  final int perfEventOpen;
  final int epollEventSize;
  final int epollDataOffset;
  final int close;
  final int mmap;
  final int getpid;

  Arch(
      int openDirectory,
      int openNoFollow,
      int userfaultfd,
      int perfEventOpen,
      int epollEventSize,
      int epollDataOffset,
      int close,
      int mmap,
      int getpid) {
    this.openDirectory = openDirectory;
    this.openNoFollow = openNoFollow;
    this.userfaultfd = userfaultfd;
    this.perfEventOpen = perfEventOpen;
    this.epollEventSize = epollEventSize;
    this.epollDataOffset = epollDataOffset;
    this.close = close;
    this.mmap = mmap;
    this.getpid = getpid;
  }

  /** The architecture of this machine. */
  public static Arch host() {
    return HOST;
  }

  private static Arch of(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "amd64", "x86_64" -> X86_64;
      case "aarch64", "arm64" -> AARCH64;
      default ->
          throw new UnsupportedOperationException(
              "forkd runs on x86_64 and aarch64; this machine is %s".formatted(name));
    };
  }
}
