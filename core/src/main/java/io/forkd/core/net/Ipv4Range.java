package io.forkd.core.net;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Addresses from one to another, both included, as unsigned numbers. */
record Ipv4Range(long first, long last) {
  static final long HIGHEST = 0xffff_ffffL;
  private static final int BITS = 32;
  private static final String BYTE = "(0|[1-9][0-9]{0,2})";
  private static final Pattern CIDR =
      Pattern.compile(BYTE + "\\." + BYTE + "\\." + BYTE + "\\." + BYTE + "(?:/(0|[1-9][0-9]?))?");

  Ipv4Range {
    if (first < 0 || last > HIGHEST || first > last) {
      throw new IllegalArgumentException("%d to %d is no range".formatted(first, last));
    }
  }

  /** Reads {@code a.b.c.d/n} or {@code a.b.c.d}; says what is wrong with any other text. */
  static Ipv4Range parse(String text) {
    Matcher matcher = CIDR.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("it is not of the form a.b.c.d/n");
    }
    long address = 0;
    for (int i = 1; i <= Integer.BYTES; i++) {
      int part = Integer.parseInt(matcher.group(i));
      if (part > 255) {
        throw new IllegalArgumentException("%d is more than 255".formatted(part));
      }
      address = address << Byte.SIZE | part;
    }
    int prefix = matcher.group(5) == null ? BITS : Integer.parseInt(matcher.group(5));
    if (prefix > BITS) {
      throw new IllegalArgumentException("/%d is more than /32".formatted(prefix));
    }
    long hosts = (1L << (BITS - prefix)) - 1;
    if ((address & hosts) != 0) {
      throw new IllegalArgumentException(
          "the range of that length begins at %s/%d".formatted(text(address & ~hosts), prefix));
    }
    return new Ipv4Range(address, address | hosts);
  }

  static String text(long address) {
    return "%d.%d.%d.%d"
        .formatted(address >> 24 & 0xff, address >> 16 & 0xff, address >> 8 & 0xff, address & 0xff);
  }

  boolean contains(long address) {
    return first <= address && address <= last;
  }

  boolean contains(Ipv4Range other) {
    return first <= other.first && other.last <= last;
  }

  /** One that was read, as {@code a.b.c.d/n}. */
  String cidr() {
    return "%s/%d".formatted(text(first), BITS - Long.bitCount(last - first));
  }

  /** As nft writes it. */
  @Override
  public String toString() {
    return first == last ? text(first) : text(first) + "-" + text(last);
  }
}
