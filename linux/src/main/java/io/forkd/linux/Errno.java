package io.forkd.linux;

import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Why the kernel refused a call, by its C name; the numbers are those of asm-generic/errno.h. */
public enum Errno {
  EPERM(1),
  ENOENT(2),
  ESRCH(3),
  EINTR(4),
  EIO(5),
  ENXIO(6),
  E2BIG(7),
  ENOEXEC(8),
  EBADF(9),
  ECHILD(10),
  EAGAIN(11),
  ENOMEM(12),
  EACCES(13),
  EFAULT(14),
  EBUSY(16),
  EEXIST(17),
  EXDEV(18),
  ENODEV(19),
  ENOTDIR(20),
  EISDIR(21),
  EINVAL(22),
  ENFILE(23),
  EMFILE(24),
  ENOTTY(25),
  ETXTBSY(26),
  EFBIG(27),
  ENOSPC(28),
  ESPIPE(29),
  EROFS(30),
  EMLINK(31),
  EPIPE(32),
  ERANGE(34),
  EDEADLK(35),
  ENAMETOOLONG(36),
  ENOSYS(38),
  ENOTEMPTY(39),
  ELOOP(40),
  EOVERFLOW(75),
  EPROTO(71),
  ENOTSOCK(88),
  EOPNOTSUPP(95),
  EADDRINUSE(98),
  EADDRNOTAVAIL(99),
  ENETDOWN(100),
  ENETUNREACH(101),
  ECONNABORTED(103),
  ECONNRESET(104),
  ENOBUFS(105),
  EISCONN(106),
  ENOTCONN(107),
  ETIMEDOUT(110),
  ECONNREFUSED(111),
  EALREADY(114),
  EINPROGRESS(115),
  ESTALE(116),
  EDQUOT(122),
  ECANCELED(125),
  EUSERS(87),
  /** A number this list does not name; {@link LinuxException#errnoNumber()} has it. */
  UNKNOWN(-1);

  private static final Map<Integer, Errno> BY_NUMBER =
      Arrays.stream(values()).collect(Collectors.toMap(Errno::number, Function.identity()));

  private final int number;

  Errno(int number) {
    this.number = number;
  }

  public int number() {
    return number;
  }

  public static Errno of(int number) {
    return BY_NUMBER.getOrDefault(number, UNKNOWN);
  }
}
