package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.SandboxId;
import io.forkd.linux.Errno;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WorkplacesTest {
  private static final int FIRST_UID = 1_879_048_192;
  private static final SandboxId ID = SandboxId.of("sb-0123456789-0000");
  private static final SandboxId OTHER = SandboxId.of("sb-0123456789-0001");

  @TempDir Path temp;
  private final FakeConfinement confinement = new FakeConfinement();
  private Workplaces places;

  @BeforeEach
  void open() {
    places = open(2);
  }

  private Workplaces open(int slots) {
    return new Workplaces(temp.resolve("run"), slots, true, List.of(), confinement, Wiring.none());
  }

  private static String permissions(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  private void assertNothingLeft() {
    assertThat(places.root()).isEmptyDirectory();
    assertThat(confinement.existing()).isEmpty();
    assertThat(places.existing()).isEmpty();
    assertThat(places.make(OTHER).slot()).as("the slot was given back").isZero();
  }

  @Test
  void vmmUsersPassThroughEveryFolderAndReadNone() throws IOException {
    Workplace place = places.make(ID);
    for (Path folder : List.of(temp.resolve("run"), places.root(), place.dir())) {
      assertThat(permissions(folder)).as("%s", folder).isEqualTo("rwx--x--x");
      assertThat(Files.getAttribute(folder, "unix:uid")).isEqualTo(0);
    }
    assertThat(permissions(place.site(0).scratch())).isEqualTo("rwx------");
  }

  @Test
  void eachPlaceHasAUserOfItsOwnWhoOwnsTheScratchFolderOnly() throws IOException {
    for (int slot = 0; slot < 2; slot++) {
      Workplace place = places.make(SandboxId.of("0123456789", slot));
      assertThat(place.slot()).isEqualTo(slot);
      assertThat(Files.getAttribute(place.site(0).scratch(), "unix:uid"))
          .isEqualTo(FIRST_UID + slot);
      assertThat(Files.getAttribute(place.site(0).scratch(), "unix:gid"))
          .isEqualTo(FIRST_UID + slot);
      assertThat(place.site(0).runAs().orElseThrow().uid()).isEqualTo(FIRST_UID + slot);
    }
  }

  @Test
  void withoutPrivilegesEverythingIsOurOwn() throws IOException {
    Workplaces own =
        new Workplaces(temp.resolve("own"), 2, false, List.of(), confinement, Wiring.none());
    Workplace place = own.make(ID);
    assertThat(place.site(0).runAs()).isEmpty();
    assertThat(Files.getAttribute(place.site(0).scratch(), "unix:uid")).isEqualTo(0);
  }

  @Test
  void vmmUsersBelongToTheGroupsTheyNeed() {
    Workplaces grouped =
        new Workplaces(temp.resolve("g"), 2, true, List.of(108), confinement, Wiring.none());
    assertThat(grouped.make(ID).site(0).runAs().orElseThrow().groups()).containsExactly(108);
  }

  @Test
  void namesAllPathsByTheSandbox() {
    Workplace place = places.make(ID);
    assertThat(place.dir()).isEqualTo(temp.resolve("run/sb").resolve(ID.value()));
    assertThat(place.site(0).scratch()).isEqualTo(place.dir().resolve("vmm"));
    assertThat(place.site(0).name()).isEqualTo("forkd-" + ID);
    assertThat(place.cgroup()).isEqualTo("/cells/" + ID);
    assertThat(confinement.existing()).containsExactly(ID.value());
    assertThat(places.existing()).containsExactly(ID);
  }

  @Test
  void removingUndoesAllOfIt() throws IOException {
    Workplace place = places.make(ID);
    Files.writeString(place.dir().resolve("vmm.log"), "x");
    Files.createDirectories(place.site(0).scratch().resolve("a/b"));
    place.remove();
    assertNothingLeft();
  }

  @Test
  void removingTwiceDoesNotGiveAwayTheNextOnesSlot() {
    Workplace place = places.make(ID);
    place.remove();
    assertThat(places.make(OTHER).slot()).isZero();
    place.remove();
    assertThat(places.make(ID).slot()).isEqualTo(1);
  }

  @Test
  void aPlaceThatCannotBeMadeWholeIsNotMadeAtAll() {
    confinement.refusesToMake = true;
    assertThatThrownBy(() -> places.make(ID)).hasMessage("no cell today");
    confinement.refusesToMake = false;
    assertNothingLeft();
  }

  @Test
  void aFolderThatIsAnotherSandboxsIsLeftAlone() throws IOException {
    Workplace first = places.make(ID);
    Files.writeString(first.dir().resolve("record.json"), "precious");
    assertThatThrownBy(() -> places.make(ID))
        .isInstanceOfSatisfying(
            LinuxException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EEXIST));
    assertThat(first.dir().resolve("record.json")).hasContent("precious");
    assertThat(confinement.existing()).containsExactly(ID.value());
    assertThat(places.make(OTHER).slot()).as("the slot was given back").isEqualTo(1);
  }

  @Test
  void whenAllSlotsAreTakenNothingIsMade() {
    places.make(ID);
    places.make(OTHER);
    assertThatThrownBy(() -> places.make(SandboxId.of("sb-0123456789-0002")))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FULL));
    assertThat(places.existing()).containsExactlyInAnyOrder(ID, OTHER);
  }

  @Test
  void aCellThatStaysDoesNotKeepTheFolder() {
    Workplace place = places.make(ID);
    confinement.refusesToDestroy = true;
    place.remove();
    assertThat(place.dir()).doesNotExist();
  }

  @Test
  void anInterruptedThreadRemovesAllOfItAndStaysInterrupted() {
    Workplace place = places.make(ID);
    Thread.currentThread().interrupt();
    place.remove();
    assertThat(Thread.interrupted()).isTrue();
    assertNothingLeft();
  }

  @Test
  void aPlaceOfAnEarlierDaemonKeepsItsSlotUntilItIsRemoved() {
    Workplace made = places.make(ID);
    Workplaces next = open(4);
    assertThat(next.existing()).containsExactly(ID);
    Workplace retaken = next.retake(ID, made.slot(), Optional.empty());
    assertThat(retaken.slot()).isZero();
    assertThat(retaken.site(0)).isEqualTo(made.site(0));
    assertThat(next.make(OTHER).slot()).isEqualTo(1);
    retaken.remove();
    assertThat(made.dir()).doesNotExist();
    assertThat(next.make(SandboxId.of("sb-0123456789-0002")).slot()).isZero();
  }

  @Test
  void aPlaceWithAnImpossibleSlotCanBeRemovedAndTakesNobodysSlot() {
    for (int slot : new int[] {Workplaces.NO_SLOT, -7, 4096, Integer.MAX_VALUE}) {
      places.make(ID);
      Workplaces next = open(2);
      Workplace retaken = next.retake(ID, slot, Optional.empty());
      assertThat(next.make(OTHER).slot()).isZero();
      retaken.remove();
      assertThat(next.make(ID).slot()).as("slot 0 is still the other's").isEqualTo(1);
      next.retake(ID, 1, Optional.empty()).remove();
      next.retake(OTHER, 0, Optional.empty()).remove();
      places = open(2);
    }
  }

  @Test
  void strangersInTheFolderAreNotSandboxes() throws IOException {
    Files.createDirectories(places.root().resolve("lost+found"));
    Files.createDirectories(places.root().resolve("sb-x"));
    places.make(ID);
    assertThat(places.existing()).containsExactly(ID);
  }

  @Test
  void aRunFolderThatCannotBeMadeIsNamed() throws IOException {
    Path file = Files.writeString(temp.resolve("file"), "x");
    assertThatThrownBy(() -> new Workplaces(file, 2, true, List.of(), confinement, Wiring.none()))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.HOST_FAILED))
        .hasMessageContaining(file.toString());
  }
}
