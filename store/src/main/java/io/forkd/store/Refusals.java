package io.forkd.store;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Tag;
import io.forkd.linux.LinuxException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** What the store says when a tag cannot be had, used or given up. */
final class Refusals {
  private Refusals() {}

  static ForkdException notFound(Tag tag) {
    return ForkdException.notFound("no snapshot has the tag %s: `forkd images` lists them.", tag);
  }

  static ForkdException exists(Tag tag) {
    return ForkdException.conflict(
        "snapshot %s exists: remove it with `forkd rmi %s` first, or use another tag.", tag, tag);
  }

  static ForkdException beingWritten(Tag tag) {
    return ForkdException.conflict(
        "snapshot %s is being made by another request: wait for it, or use another tag.", tag);
  }

  static ForkdException notReady(Pending note) {
    Tag tag = note.tag();
    return switch (note.state()) {
      case WRITING ->
          ForkdException.conflict(
              "snapshot %s is still being written: wait until `forkd images` shows it as ready.",
              tag);
      case FAILED ->
          ForkdException.conflict(
              "snapshot %s was not kept: %s. Its tag is free after `forkd rmi %s`.",
              tag, note.reason().orElse("it was given up"), tag);
    };
  }

  static ForkdException tooDeep(Tag tag) {
    return ForkdException.conflict(
        "snapshot %s has %d ancestors or more, and no chain may be deeper. Make one of its own"
            + " memory with `forkd snapshot-compact --from %s` and branch from that.",
        tag, Chains.DEEPEST, tag);
  }

  /**
   * A parent's.
   *
   * @param children whose parent it is
   * @param further what depends on those in turn
   */
  static ForkdException hasDependents(
      Tag tag, List<Tag> children, List<Tag> further, Set<Tag> beingWritten) {
    String inTurn =
        further.isEmpty()
            ? ""
            : ", on which %s in turn %s"
                .formatted(
                    enumerate(further, beingWritten), further.size() == 1 ? "depends" : "depend");
    boolean one = children.size() == 1 && further.isEmpty();
    return ForkdException.conflict(
        "snapshot %s is the parent of %s%s: remove %s first, or use --cascade to remove %s, or"
            + " --force to leave %s broken.",
        tag,
        enumerate(children, beingWritten),
        inTurn,
        one ? "it" : "them",
        one ? "both" : "all",
        one ? "it" : "them");
  }

  static ForkdException mayNotLast(Tag tag, LinuxException trouble) {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        "snapshot %s is there, but a power cut may take it away: %s"
            .formatted(tag, trouble.getMessage()),
        trouble);
  }

  static ForkdException unprepared(Path dir, IOException trouble) {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        "cannot prepare %s: %s".formatted(dir, trouble.getMessage()),
        trouble);
  }

  static ForkdException pinned(Tag parent, Tag beingWritten) {
    return ForkdException.conflict(
        "snapshot %s is the parent of %s, which is being written: wait until it is ready.",
        parent, beingWritten);
  }

  private static String enumerate(List<Tag> tags, Set<Tag> beingWritten) {
    List<String> names =
        tags.stream()
            .map(each -> beingWritten.contains(each) ? each + " (being written)" : each.value())
            .toList();
    return names.size() == 1
        ? names.getFirst()
        : names.stream().limit(names.size() - 1L).collect(Collectors.joining(", "))
            + " and "
            + names.getLast();
  }
}
