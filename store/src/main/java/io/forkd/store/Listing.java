package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything in a store at one look, each by tag.
 *
 * @param damaged the snapshots that cannot be read; they hold their tags until they are removed
 * @param pending the announced ones that are not on disk
 */
public record Listing(
    List<StoredSnapshot> snapshots, List<DamagedSnapshot> damaged, List<Pending> pending) {
  public Listing {
    snapshots = List.copyOf(snapshots);
    damaged = List.copyOf(damaged);
    pending = List.copyOf(pending);
  }

  /** The manifests in the order the snapshots were made, also within one second. */
  public List<Manifest> oldestFirst() {
    Map<Tag, FileTime> written = new HashMap<>();
    for (StoredSnapshot each : snapshots) {
      written.put(each.manifest().tag(), each.writtenAt());
    }
    return snapshots.stream()
        .map(StoredSnapshot::manifest)
        .sorted(
            Comparator.comparingLong(Manifest::createdAtUnix)
                .thenComparing(
                    manifest -> written.getOrDefault(manifest.tag(), FileTime.fromMillis(0)))
                .thenComparing(Manifest::tag))
        .toList();
  }

  /**
   * The snapshots no host could restore, with the reason: a file of theirs, or of one they are
   * built on, is missing, cut off or another than it was.
   */
  public Map<Tag, String> broken() {
    Map<Tag, StoredSnapshot> readable = new HashMap<>();
    Map<Tag, String> reasons = new HashMap<>();
    damaged.forEach(each -> reasons.put(each.tag(), each.reason()));
    for (StoredSnapshot each : snapshots) {
      readable.put(each.manifest().tag(), each);
      refusal(each::checkFiles).ifPresent(why -> reasons.put(each.manifest().tag(), why));
    }
    Map<Tag, String> broken = new HashMap<>();
    for (Tag tag : readable.keySet()) {
      refusal(() -> Chains.chain(tag, each -> sound(each, readable, reasons)))
          .ifPresent(why -> broken.put(tag, why));
    }
    return broken;
  }

  private static StoredSnapshot sound(
      Tag tag, Map<Tag, StoredSnapshot> readable, Map<Tag, String> reasons) {
    String reason = reasons.get(tag);
    if (reason != null) {
      throw new ForkdException(ErrorCode.CONFLICT, reason);
    }
    StoredSnapshot found = readable.get(tag);
    if (found == null) {
      throw Refusals.notFound(tag);
    }
    return found;
  }

  private static Optional<String> refusal(Runnable check) {
    try {
      check.run();
      return Optional.empty();
    } catch (ForkdException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** The snapshots this one is built on, root first; ends at a broken link. */
  public List<Tag> ancestors(Tag tag) {
    Map<Tag, Tag> parents = new HashMap<>();
    pending.forEach(each -> each.parent().ifPresent(parent -> parents.put(each.tag(), parent)));
    snapshots.forEach(
        each ->
            each.manifest()
                .parent()
                .ifPresent(parent -> parents.put(each.manifest().tag(), parent.tag())));
    return Chains.ancestors(tag, each -> Optional.ofNullable(parents.get(each)));
  }
}
