package io.forkd.server.e2b;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.Tag;
import io.forkd.core.Forkd;
import io.forkd.core.Snapshot;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the snapshot that a template's id or name stands for. */
record Templates(Map<String, List<Tag>> names) {
  Snapshot find(Forkd forkd, String template) {
    return lookUp(forkd, template)
        .orElseThrow(
            () ->
                ForkdException.notFound(
                    "There is no template '%s': make a snapshot with that tag (`forkd snapshot"
                        + " RECIPE --tag %s`, or Sandbox.createSnapshot), or map the name to a tag"
                        + " with --e2b-templates; `forkd images` lists the tags.",
                    Printable.shorten(template), Printable.shorten(template)));
  }

  /** Empty when it stands for no snapshot that its asker may see. */
  Optional<Snapshot> lookUp(Forkd forkd, String template) {
    String name = withoutVersion(template);
    List<Tag> tags = names.get(name);
    if (tags == null) {
      tags = Tag.isValid(name) ? List.of(Tag.of(name)) : List.of();
    }
    return tags.stream().flatMap(tag -> snapshot(forkd, tag).stream()).findFirst();
  }

  /** E2B's names end with a version; a snapshot has none but itself. */
  static String withoutVersion(String template) {
    for (String version : List.of(":default", ":latest")) {
      if (template.endsWith(version)) {
        return template.substring(0, template.length() - version.length());
      }
    }
    return template;
  }

  static Optional<Snapshot> snapshot(Forkd forkd, Tag tag) {
    try {
      return Optional.of(forkd.snapshot(tag));
    } catch (ForkdException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw e;
    }
  }
}
