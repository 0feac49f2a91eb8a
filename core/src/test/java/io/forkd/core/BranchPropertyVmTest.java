package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.base.Tag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A guest fills memory and files from a seed; whatever it does between branches, in whatever mode
 * they are taken, every grandchild has exactly the bytes of its instant.
 */
@org.junit.jupiter.api.Tag("vm")
@Timeout(600)
class BranchPropertyVmTest {
  /**
   * Memory and files that change step by step from a seed: pages written, zeroed and freed, files
   * made, changed and removed; and a digest of all of it.
   */
  static final String WORLD =
      """
      import hashlib, os, random
      class World:
          def __init__(self, seed):
              self.random = random.Random(seed)
              self.pages = bytearray(24 << 20)
              self.chunks = {}
              self.folder = '/srv/world'
              os.makedirs(self.folder, exist_ok=True)
              self.steps = 0
          def step(self):
              r = self.random
              self.steps += 1
              kind = r.randrange(6)
              at = r.randrange(len(self.pages) // 4096) * 4096
              if kind == 0:
                  self.pages[at:at + 4096] = r.randbytes(4096)
              elif kind == 1:
                  end = min(len(self.pages), at + 4096 * r.randrange(1, 64))
                  self.pages[at:end] = bytes(end - at)
              elif kind == 2:
                  self.chunks[r.randrange(8)] = bytearray(r.randbytes(r.randrange(1, 400_000)))
              elif kind == 3:
                  self.chunks.pop(r.randrange(8), None)
              elif kind == 4:
                  with open(f'{self.folder}/{r.randrange(16)}', 'ab' if r.random() < .5 else 'wb') as f:
                      f.write(r.randbytes(r.randrange(1, 60_000)))
              else:
                  try:
                      os.remove(f'{self.folder}/{r.randrange(16)}')
                  except FileNotFoundError:
                      pass
          def digest(self):
              h = hashlib.sha256(self.pages)
              for key in sorted(self.chunks):
                  h.update(b'%d' % key)
                  h.update(self.chunks[key])
              for name in sorted(os.listdir(self.folder)):
                  h.update(name.encode())
                  with open(f'{self.folder}/{name}', 'rb') as f:
                      h.update(f.read())
              return f'{self.steps}:{h.hexdigest()}'
      """;

  /**
   * A thread that writes generation after generation over an array, page by page, and notes before
   * each page which it is about to write. At every instant the pages up to the noted one hold the
   * new generation and those after it the old one: a torn copy would break that.
   */
  static final String WRITER =
      """
      import threading, numpy
      class Writer:
          def __init__(self):
              self.cells = numpy.zeros(4096 * 512, dtype=numpy.int64)
              self.noted = (1, -1)
              self.lock = threading.Lock()
              threading.Thread(target=self.run, daemon=True).start()
          def run(self):
              generation = 1
              while True:
                  for page in range(4096):
                      with self.lock:
                          self.noted = (generation, page)
                          self.cells[page * 512] = generation
                          self.cells[page * 512 + 511] = generation
                  generation += 1
          def whole(self):
              with self.lock:
                  generation, page = self.noted
                  first = self.cells[::512]
                  last = self.cells[511::512]
                  return bool((first[:page + 1] == generation).all() and (last[:page + 1] == generation).all()
                      and (first[page + 1:] == generation - 1).all() and (last[page + 1:] == generation - 1).all())
      """;

  private static final List<BranchMode> MODES =
      List.of(BranchMode.FULL, BranchMode.DIFF, BranchMode.LIVE);

  private final VmLab lab = VmLab.shared();
  private Set<Tag> before = Set.of();

  @BeforeEach
  void remember() {
    lab.python();
    before = new HashSet<>(lab.forkd().snapshots().stream().map(Snapshot::tag).toList());
  }

  @AfterEach
  void cleanUp() {
    lab.killAll();
    lab.removeAllBut(before);
  }

  private record Checkpoint(Tag tag, String digest) {}

  private Sandbox childOf(Tag tag) {
    return lab.forkd().fork(new ForkSpec(tag, 1, Optional.empty())).sandboxes().getFirst();
  }

  private Checkpoint branch(Sandbox source, String name, BranchMode mode) {
    String digest = lab.eval(source, "world.digest()");
    Tag tag = Tag.of(name + "-" + mode.name().toLowerCase(java.util.Locale.ROOT));
    lab.forkd()
        .branch(
            source.id(),
            new BranchSpec(
                Optional.of(tag), Optional.of(mode), true, Optional.empty(), Optional.empty()));
    return new Checkpoint(tag, digest);
  }

  @Test
  void everyGrandchildHasExactlyTheBytesOfItsInstant() {
    for (long seed : new long[] {11, 12, 13}) {
      Random random = new Random(seed);
      Sandbox current = lab.fork(1).getFirst();
      lab.eval(current, WORLD);
      lab.eval(current, "world = World(%d)".formatted(seed));
      List<Checkpoint> taken = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        lab.eval(current, "for _ in range(%d): world.step()".formatted(random.nextInt(150)));
        BranchMode mode = MODES.get(random.nextInt(3));
        taken.add(branch(current, "p%d-%d".formatted(seed, i), mode));
        if (random.nextInt(3) == 0) {
          // Goes on in a grandchild, so that chains grow and forks of forks are branched.
          current = childOf(taken.getLast().tag());
        }
      }
      lab.eval(current, "for _ in range(100): world.step()");
      if (seed == 13) {
        lab.killAll();
        lab.reopen(); // from disk
      }
      for (Checkpoint checkpoint : taken) {
        Sandbox grandchild = childOf(checkpoint.tag());
        assertThat(lab.eval(grandchild, "world.digest()"))
            .as("seed %d, %s", seed, checkpoint.tag())
            .isEqualTo(checkpoint.digest());
        lab.forkd().kill(grandchild.id());
      }
      lab.killAll();
    }
  }

  @Test
  void rollbackGivesBackExactlyTheCheckpoint() {
    Random random = new Random(21);
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, WORLD);
    lab.eval(source, "world = World(21)");
    List<Checkpoint> taken = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      lab.eval(source, "for _ in range(%d): world.step()".formatted(50 + random.nextInt(100)));
      taken.add(branch(source, "r" + i, MODES.get(random.nextInt(3))));
    }
    for (int i = 0; i < 6; i++) {
      Checkpoint checkpoint = taken.get(random.nextInt(taken.size()));
      lab.forkd().rollback(source.id(), checkpoint.tag());
      assertThat(lab.eval(source, "world.digest()")).isEqualTo(checkpoint.digest());
      lab.eval(source, "for _ in range(30): world.step()");
    }
  }

  @Test
  void aBranchOfABusyGuestIsNeverTorn() {
    Sandbox source = lab.fork(1).getFirst();
    lab.eval(source, WRITER);
    lab.eval(source, "writer = Writer()");
    List<Tag> taken = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      BranchMode mode = MODES.get(i % 3);
      Tag tag = Tag.of("busy-" + i);
      lab.forkd()
          .branch(
              source.id(),
              new BranchSpec(
                  Optional.of(tag),
                  Optional.of(mode),
                  i % 2 == 0,
                  Optional.empty(),
                  Optional.empty()));
      taken.add(tag);
    }
    for (Tag tag : taken) {
      Sandbox grandchild = childOf(tag);
      assertThat(lab.eval(grandchild, "writer.whole()")).as(tag.value()).isEqualTo("True");
      assertThat(lab.eval(grandchild, "writer.whole()")).as("and goes on").isEqualTo("True");
      lab.forkd().kill(grandchild.id());
    }
    assertThat(lab.eval(source, "writer.whole()")).isEqualTo("True");
  }
}
