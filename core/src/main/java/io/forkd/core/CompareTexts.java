package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.GuestEntry;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Compares text files of two guests line by line. */
final class CompareTexts {
  /** A file with more bytes is not compared by lines. */
  static final int LONGEST_TEXT = 1 << 20;

  /** Unified diffs of all files together; those that do not fit are left out, their counts not. */
  static final int MOST_UNIFIED = 16 << 20;

  /**
   * Files looked into. Each takes a guest milliseconds, and there may be a hundred thousand: what
   * comes after these is told without its lines rather than not at all.
   */
  static final int MOST_READ = 1000;

  private final GuestView a;
  private final GuestView b;
  private int unifiedLeft;
  private int readsLeft = MOST_READ;

  CompareTexts(GuestView a, GuestView b, boolean unified) {
    this.a = a;
    this.b = b;
    this.unifiedLeft = unified ? MOST_UNIFIED : 0;
  }

  /** What differs in lines; zero and nothing for what is no text. */
  record Lines(int added, int removed, Optional<String> unified) {
    static final Lines NONE = new Lines(0, 0, Optional.empty());
  }

  /** Compares a path that differs; a side that does not have it counts as an empty file. */
  Lines compare(String path, Optional<GuestEntry> inA, Optional<GuestEntry> inB) {
    boolean both = inA.isPresent() && inB.isPresent();
    if (!isTextOrMissing(inA) || !isTextOrMissing(inB)) {
      return Lines.NONE;
    }
    if (both && CompareFiles.sameContent(inA.get(), inB.get())) {
      return Lines.NONE;
    }
    if (!both && (unifiedLeft == 0 || readsLeft == 0)) {
      return new Lines(lines(inB), lines(inA), Optional.empty());
    }
    if (readsLeft == 0) {
      return Lines.NONE;
    }
    readsLeft--;
    CompareGuests.Both<Optional<String>> texts =
        CompareGuests.ask(
            () -> inA.isEmpty() ? Optional.of("") : read(a, path),
            () -> inB.isEmpty() ? Optional.of("") : read(b, path));
    if (texts.a().isEmpty() || texts.b().isEmpty()) {
      return Lines.NONE;
    }
    TextDiff diff = TextDiff.of(texts.a().get(), texts.b().get());
    Optional<String> unified =
        unifiedLeft == 0 ? Optional.empty() : unified(diff, path, inA.isPresent(), inB.isPresent());
    return new Lines(diff.added(), diff.removed(), unified);
  }

  private static boolean isTextOrMissing(Optional<GuestEntry> entry) {
    return entry.isEmpty() || entry.get().lines().isPresent();
  }

  private static int lines(Optional<GuestEntry> entry) {
    return entry.map(it -> it.lines().orElse(0)).orElse(0);
  }

  /** Empty when it has become something else since it was listed. */
  private static Optional<String> read(GuestView guest, String path) {
    byte[] content;
    try {
      content = guest.read(path, LONGEST_TEXT);
    } catch (ForkdException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
    try {
      var text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content));
      return Optional.of(text.toString());
    } catch (CharacterCodingException e) {
      return Optional.empty();
    }
  }

  private Optional<String> unified(TextDiff diff, String path, boolean inA, boolean inB) {
    String text = diff.unified(inA ? "a" + path : "/dev/null", inB ? "b" + path : "/dev/null");
    if (text.length() > unifiedLeft) {
      unifiedLeft = 0;
      return Optional.empty();
    }
    unifiedLeft -= text.length();
    return Optional.of(text);
  }
}
