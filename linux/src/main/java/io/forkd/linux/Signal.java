package io.forkd.linux;

import java.util.Arrays;
import java.util.Optional;

/** The signals forkd sends or reports; the numbers are those of x86_64 and aarch64. */
public enum Signal {
  HUP(1),
  INT(2),
  QUIT(3),
  ILL(4),
  TRAP(5),
  ABRT(6),
  BUS(7),
  FPE(8),
  KILL(9),
  USR1(10),
  SEGV(11),
  USR2(12),
  PIPE(13),
  ALRM(14),
  TERM(15),
  CHLD(17),
  CONT(18),
  STOP(19),
  XCPU(24),
  XFSZ(25),
  SYS(31);

  private final int number;

  Signal(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  static Optional<Signal> of(int number) {
    return Arrays.stream(values()).filter(signal -> signal.number == number).findFirst();
  }
}
