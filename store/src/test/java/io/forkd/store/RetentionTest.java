package io.forkd.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.forkd.base.SandboxId;
import io.forkd.base.Tag;
import io.forkd.store.Retention.Doomed;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RetentionTest {
  private static final long NOW = 1_700_000_000;
  private static final SandboxId MINE = SandboxId.of("sb-0123456789-0001");
  private static final SandboxId OTHERS = SandboxId.of("sb-0123456789-0002");

  private static Manifest snapshot(String tag, String parent, long expiresAt) {
    return Samples.imagined(
        tag,
        NOW - 100,
        Optional.of(parent).filter(name -> !name.isEmpty()),
        Optional.empty(),
        expiresAt == 0 ? Optional.empty() : Optional.of(expiresAt));
  }

  private static Manifest branch(String tag, long createdAt, SandboxId of) {
    return Samples.imagined(tag, createdAt, Optional.of("base"), Optional.of(of), Optional.empty());
  }

  private static List<String> tags(List<Doomed> doomed) {
    return doomed.stream().map(each -> each.tag().value()).toList();
  }

  private static Set<Tag> inUse(String... tags) {
    return Set.of(tags).stream().map(Tag::of).collect(Collectors.toSet());
  }

  @Test
  void whatHasExpiredGoesAndSaysWhen() {
    List<Manifest> all =
        List.of(
            snapshot("forever", "", 0),
            snapshot("past", "", NOW - 1),
            snapshot("now", "", NOW),
            snapshot("future", "", NOW + 1));
    assertThat(Retention.plan(all, Set.of(), Map.of(), NOW))
        .containsExactly(
            new Doomed(Tag.of("now"), "expired at 2023-11-14T22:13:20Z"),
            new Doomed(Tag.of("past"), "expired at 2023-11-14T22:13:19Z"));
  }

  @Test
  void whatSomethingThatStaysDependsOnStays() {
    List<Manifest> all =
        List.of(
            snapshot("root", "", NOW - 1),
            snapshot("middle", "root", NOW - 1),
            snapshot("leaf", "middle", 0),
            snapshot("twig", "middle", NOW - 1));
    assertThat(tags(Retention.plan(all, Set.of(), Map.of(), NOW))).containsExactly("twig");
  }

  @Test
  void aWholeExpiredFamilyGoesChildrenFirst() {
    List<Manifest> all =
        List.of(
            snapshot("a", "", NOW - 1),
            snapshot("b", "a", NOW - 1),
            snapshot("c", "b", NOW - 1),
            snapshot("d", "a", NOW - 1));
    assertThat(tags(Retention.plan(all, Set.of(), Map.of(), NOW)))
        .containsExactly("c", "b", "d", "a");
  }

  @Test
  void whatIsInUseStaysAndSoDoesAllItIsBuiltOn() {
    List<Manifest> all =
        List.of(
            snapshot("a", "", NOW - 1), snapshot("b", "a", NOW - 1), snapshot("c", "b", NOW - 1));
    assertThat(tags(Retention.plan(all, inUse("b"), Map.of(), NOW))).containsExactly("c");
    assertThat(tags(Retention.plan(all, inUse("c"), Map.of(), NOW))).isEmpty();
    assertThat(tags(Retention.plan(all, inUse("unknown"), Map.of(), NOW)))
        .containsExactly("c", "b", "a");
  }

  @Test
  void familiesWithMissingOrCircularParentsDoNotStopIt() {
    List<Manifest> all =
        List.of(
            snapshot("orphan", "gone", NOW - 1),
            snapshot("x", "y", NOW - 1),
            snapshot("y", "x", NOW - 1),
            snapshot("self", "self", NOW - 1),
            snapshot("u", "v", 0),
            snapshot("v", "u", NOW - 1));
    assertThat(tags(Retention.plan(all, Set.of(), Map.of(), NOW)))
        .containsExactlyInAnyOrder("orphan", "x", "y", "self");
  }

  @Test
  void aChainDeeperThanAnyAllowedStillGoesChildrenFirst() {
    List<Manifest> all = new ArrayList<>(List.of(snapshot("t0", "", NOW)));
    for (int i = 1; i <= 1500; i++) {
      all.add(snapshot("t" + i, "t" + (i - 1), NOW));
    }
    List<Doomed> doomed = Retention.plan(all, Set.of(), Map.of(), NOW);
    assertThat(doomed).hasSize(1501);
    assertThat(doomed.getFirst().tag()).isEqualTo(Tag.of("t1500"));
    assertThat(doomed.getLast().tag()).isEqualTo(Tag.of("t0"));
  }

  @Test
  void allButTheNewestBranchesOfTheSandboxGo() {
    List<Manifest> all =
        List.of(
            snapshot("base", "", 0),
            branch("m3", 30, MINE),
            branch("m1", 10, MINE),
            branch("o1", 5, OTHERS),
            branch("m2", 20, MINE));
    assertThat(Retention.surplus(all, MINE, 2, Set.of(), each -> false))
        .containsExactly(
            new Doomed(Tag.of("m1"), "older than the last 2 branches of sb-0123456789-0001"));
    assertThat(tags(Retention.surplus(all, MINE, 0, Set.of(), each -> false)))
        .containsExactly("m1", "m2", "m3");
    assertThat(Retention.surplus(all, MINE, 3, Set.of(), each -> false)).isEmpty();
    assertThat(Retention.surplus(all, MINE, 100, Set.of(), each -> false)).isEmpty();
    Predicate<Tag> pause = each -> each.value().equals("m3");
    assertThat(tags(Retention.surplus(all, MINE, 1, Set.of(), pause))).containsExactly("m1");
    assertThat(tags(Retention.surplus(all, MINE, 1, inUse("m1"), each -> false)))
        .containsExactly("m2");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Retention.surplus(all, MINE, -1, Set.of(), each -> false));
  }

  @Test
  void branchesOfOneSecondAreToldApartByTheirOrder() {
    List<Manifest> all =
        List.of(branch("z", 10, MINE), branch("a", 10, MINE), branch("m", 10, MINE));
    assertThat(tags(Retention.surplus(all, MINE, 1, Set.of(), each -> false)))
        .containsExactly("a", "z");
  }

  @Test
  void aListingKnowsWhichOfOneSecondIsNewer(@TempDir Path temp) throws IOException {
    Store store = Store.open(temp.resolve("data"));
    long millis = 1_000;
    for (String tag : List.of("z", "a", "m")) {
      StoredSnapshot kept = Samples.commit(store, Tag.of(tag), temp);
      Files.setLastModifiedTime(
          kept.dir().resolve("manifest.json"), FileTime.fromMillis(millis += 5));
    }
    assertThat(store.look().oldestFirst())
        .extracting(manifest -> manifest.tag().value())
        .containsExactly("z", "a", "m");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void nothingThatSomethingDependsOnIsEverDoomed(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      List<Manifest> forest = forest(random);
      Set<Tag> inUse =
          forest.stream()
              .map(Manifest::tag)
              .filter(tag -> random.nextInt(8) == 0)
              .collect(Collectors.toSet());
      Set<Tag> expired =
          tagsOf(forest.stream().filter(each -> each.expiresAtUnix().orElse(NOW + 1) <= NOW));
      assertSound(forest, expired, inUse, Retention.plan(forest, inUse, Map.of(), NOW));

      int keep = random.nextInt(5);
      List<Manifest> mine =
          forest.stream()
              .filter(each -> each.branch().map(Manifest.Branch::sandbox).equals(Optional.of(MINE)))
              .sorted(Comparator.comparingLong(Manifest::createdAtUnix).reversed())
              .toList();
      Set<Tag> old = tagsOf(mine.stream().skip(keep));
      assertSound(forest, old, inUse, Retention.surplus(forest, MINE, keep, inUse, each -> false));
    }
  }

  private static Set<Tag> tagsOf(Stream<Manifest> manifests) {
    return manifests.map(Manifest::tag).collect(Collectors.toSet());
  }

  /** Trees of any shape, listed in any order, each created in a second of its own. */
  private static List<Manifest> forest(Random random) {
    List<Manifest> forest = new ArrayList<>();
    int size = random.nextInt(25);
    for (int i = 0; i < size; i++) {
      forest.add(
          Samples.imagined(
              "t" + i,
              NOW - 1000 + i,
              i == 0 || random.nextInt(4) == 0
                  ? Optional.empty()
                  : Optional.of("t" + random.nextInt(i)),
              Optional.of(random.nextInt(3) == 0 ? OTHERS : MINE),
              random.nextInt(4) == 0
                  ? Optional.empty()
                  : Optional.of(NOW - 3 + random.nextInt(5))));
    }
    Collections.shuffle(forest, random);
    return forest;
  }

  /** Compares with the definition: take away what nothing needs until nothing changes. */
  private static void assertSound(
      List<Manifest> forest, Set<Tag> candidates, Set<Tag> inUse, List<Doomed> doomed) {
    Set<Tag> expected = new HashSet<>();
    List<Manifest> left = new ArrayList<>(forest);
    Optional<Manifest> next;
    do {
      next =
          left.stream()
              .filter(each -> candidates.contains(each.tag()) && !inUse.contains(each.tag()))
              .filter(each -> hasNoChild(each.tag(), left))
              .findFirst();
      next.ifPresent(left::remove);
      next.map(Manifest::tag).ifPresent(expected::add);
    } while (next.isPresent());
    assertThat(doomed).extracting(Doomed::tag).containsExactlyInAnyOrderElementsOf(expected);
    List<Manifest> staying = new ArrayList<>(forest);
    for (Doomed each : doomed) {
      assertThat(hasNoChild(each.tag(), staying)).as("%s in %s", each, doomed).isTrue();
      staying.removeIf(manifest -> manifest.tag().equals(each.tag()));
    }
  }

  private static boolean hasNoChild(Tag tag, List<Manifest> among) {
    return among.stream()
        .noneMatch(each -> each.parent().map(Manifest.Parent::tag).equals(Optional.of(tag)));
  }

  @Test
  void whatIsUnwantedGoesUnlessSomethingDependsOnIt() {
    List<Manifest> all =
        List.of(
            Samples.imagined("a", 1, Optional.empty(), Optional.empty(), Optional.empty()),
            Samples.imagined("b", 2, Optional.of("a"), Optional.empty(), Optional.empty()),
            Samples.imagined("c", 3, Optional.empty(), Optional.empty(), Optional.empty()));
    Map<Tag, String> unwanted = Map.of(Tag.of("a"), "nobody's", Tag.of("c"), "nobody's");
    assertThat(Retention.plan(all, Set.of(), unwanted, NOW))
        .containsExactly(new Doomed(Tag.of("c"), "nobody's"));
  }
}
