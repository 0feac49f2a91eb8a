package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class TextDiffTest {
  private static final Pattern HUNK =
      Pattern.compile("@@ -(\\d+)(?:,(\\d+))? \\+(\\d+)(?:,(\\d+))? @@");

  @Test
  void isWrittenAsPatchReadsIt() {
    String a = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16";
    String b = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";
    assertThat(TextDiff.of(a, b).unified("a/n", "b/n"))
        .isEqualTo(
            """
            --- a/n
            +++ b/n
            @@ -2,7 +2,7 @@
             2
             3
             4
            -5
            +five
             6
             7
             8
            @@ -13,4 +13,3 @@
             13
             14
             15
            -16
            \\ No newline at end of file
            """);
  }

  @Test
  void namesOnlyALineThatLostItsNewline() {
    assertThat(TextDiff.of("x\ny\n", "x\ny").unified("a/f", "b/f"))
        .isEqualTo(
            """
            --- a/f
            +++ b/f
            @@ -1,2 +1,2 @@
             x
            -y
            +y
            \\ No newline at end of file
            """);
  }

  @Test
  void countsFromTheEmptyFile() {
    TextDiff diff = TextDiff.of("", "x\n");
    assertThat(diff.unified("/dev/null", "b/a file"))
        .isEqualTo("--- /dev/null\n+++ b/a file\t\n@@ -0,0 +1 @@\n+x\n");
    assertThat(diff.added()).isEqualTo(1);
    assertThat(diff.removed()).isZero();
    assertThat(TextDiff.of("x\n", "").unified("a", "b")).contains("@@ -1 +0,0 @@\n-x\n");
  }

  @Test
  void saysNothingOfEqualTexts() {
    TextDiff diff = TextDiff.of("same\ntext", "same\ntext");
    assertThat(diff.unified("a", "b")).isEmpty();
    assertThat(diff.added() + diff.removed()).isZero();
  }

  @Test
  void joinsHunksThatWouldTouch() {
    String a = lines(IntStream.range(0, 20).mapToObj(Integer::toString).toList(), true);
    assertThat(hunks(TextDiff.of(a, a.replace("\n5\n", "\nx\n").replace("\n12\n", "\ny\n"))))
        .isEqualTo(1);
    assertThat(hunks(TextDiff.of(a, a.replace("\n5\n", "\nx\n").replace("\n13\n", "\ny\n"))))
        .isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void appliedToTheFirstTextItGivesTheSecondWithTheFewestLines(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 3000; i++) {
      String a = randomText(random, 1 + random.nextInt(5), 25);
      String b = random.nextInt(4) == 0 ? randomText(random, 4, 25) : edited(random, a);
      TextDiff diff = assertApplies(a, b);
      assertThat(diff.added() + diff.removed())
          .as("%s -> %s", a, b)
          .isEqualTo(fewestEdits(split(a), split(b)));
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void largeTextsWithFewChangesGiveFewLines(long seed) {
    Random random = new Random(seed);
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 20_000; i++) {
      lines.add("line " + random.nextInt(5000));
    }
    String a = lines(lines, random.nextBoolean());
    for (int i = 0; i < 100; i++) {
      lines.set(random.nextInt(lines.size()), "changed " + i);
    }
    TextDiff diff = assertApplies(a, lines(lines, random.nextBoolean()));
    assertThat(diff.added()).isLessThanOrEqualTo(101);
  }

  @Test
  void textsThatAreTooDifferentHaveTheirMiddleReplaced() {
    List<String> a = new ArrayList<>(List.of("first"));
    List<String> b = new ArrayList<>(List.of("first"));
    Random random = new Random(9);
    for (int i = 0; i < 4 * TextEdits.MOST_EDITS; i++) {
      a.add(i % 100 == 0 ? "both" : "a" + random.nextInt());
      b.add(i % 100 == 50 ? "both" : "b" + random.nextInt());
    }
    a.add("last");
    b.add("last");
    TextDiff diff = assertApplies(lines(a, true), lines(b, true));
    assertThat(diff.removed()).isEqualTo(a.size() - 2);
    assertThat(diff.added()).isEqualTo(b.size() - 2);
  }

  @Test
  void aMebibyteOfShortLinesIsNoTrouble() {
    Random random = new Random(7);
    String a =
        random.ints(1 << 19, 'a', 'c').mapToObj(c -> (char) c + "\n").collect(Collectors.joining());
    String b =
        random.ints(1 << 19, 'a', 'c').mapToObj(c -> (char) c + "\n").collect(Collectors.joining());
    assertApplies(a, b);
    assertApplies("\n".repeat(1 << 20), "\n".repeat((1 << 20) - 5));
  }

  private static TextDiff assertApplies(String a, String b) {
    TextDiff diff = TextDiff.of(a, b);
    String unified = diff.unified("a", "b");
    assertThat(apply(unified, a)).as(() -> brief(unified)).isEqualTo(b);
    return diff;
  }

  private static String brief(String text) {
    return text.substring(0, Math.min(2000, text.length()));
  }

  /** A small `patch`: checks every context and removed line, and every count. */
  static String apply(String unified, String a) {
    if (unified.isEmpty()) {
      return a;
    }
    List<String> from = split(a);
    List<String> to = new ArrayList<>();
    int at = 0;
    List<String> lines = split(unified);
    assertThat(lines.get(0)).startsWith("--- ");
    assertThat(lines.get(1)).startsWith("+++ ");
    int next = 2;
    while (next < lines.size()) {
      Matcher hunk = HUNK.matcher(lines.get(next++).strip());
      assertThat(hunk.matches()).isTrue();
      int lengthA = hunk.group(2) == null ? 1 : Integer.parseInt(hunk.group(2));
      int lengthB = hunk.group(4) == null ? 1 : Integer.parseInt(hunk.group(4));
      int startA = Integer.parseInt(hunk.group(1)) - (lengthA == 0 ? 0 : 1);
      int startB = Integer.parseInt(hunk.group(3)) - (lengthB == 0 ? 0 : 1);
      to.addAll(from.subList(at, startA));
      at = startA;
      assertThat(to).hasSize(startB);
      while (next < lines.size() && !lines.get(next).startsWith("@@")) {
        char mark = lines.get(next).charAt(0);
        String line = lines.get(next++).substring(1);
        if (next < lines.size() && lines.get(next).startsWith("\\")) {
          line = line.substring(0, line.length() - 1);
          next++;
        }
        if (mark != '+') {
          assertThat(line).isEqualTo(from.get(at++));
        }
        if (mark != '-') {
          to.add(line);
        }
      }
      assertThat(at - startA).isEqualTo(lengthA);
      assertThat(to.size() - startB).isEqualTo(lengthB);
    }
    to.addAll(from.subList(at, from.size()));
    return String.join("", to);
  }

  private static List<String> split(String text) {
    return Pattern.compile("(?<=\n)").splitAsStream(text).filter(s -> !s.isEmpty()).toList();
  }

  private static long hunks(TextDiff diff) {
    return diff.unified("a", "b").lines().filter(line -> line.startsWith("@@")).count();
  }

  private static String randomText(Random random, int alphabet, int most) {
    List<String> lines = new ArrayList<>();
    for (int i = random.nextInt(most); i > 0; i--) {
      lines.add(Character.toString('a' + random.nextInt(alphabet)));
    }
    return lines(lines, random.nextBoolean());
  }

  private static String edited(Random random, String text) {
    List<String> lines = new ArrayList<>(text.lines().toList());
    for (int i = random.nextInt(5); i > 0; i--) {
      int at = random.nextInt(lines.size() + 1);
      if (random.nextBoolean() || at == lines.size()) {
        lines.add(at, "new" + random.nextInt(3));
      } else {
        lines.remove(at);
      }
    }
    return lines(lines, random.nextBoolean());
  }

  private static String lines(List<String> lines, boolean ended) {
    StringBuilder text = new StringBuilder();
    for (Iterator<String> each = lines.iterator(); each.hasNext(); ) {
      text.append(each.next()).append(each.hasNext() || ended ? "\n" : "");
    }
    return text.toString();
  }

  /** Everything that is not in a longest common subsequence. */
  private static int fewestEdits(List<String> a, List<String> b) {
    int[][] common = new int[a.size() + 1][b.size() + 1];
    for (int i = 1; i <= a.size(); i++) {
      for (int j = 1; j <= b.size(); j++) {
        common[i][j] =
            a.get(i - 1).equals(b.get(j - 1))
                ? common[i - 1][j - 1] + 1
                : Math.max(common[i - 1][j], common[i][j - 1]);
      }
    }
    return a.size() + b.size() - 2 * common[a.size()][b.size()];
  }
}
