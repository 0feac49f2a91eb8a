package io.forkd.server;

import static io.forkd.server.Schema.flag;
import static io.forkd.server.Schema.mapOf;
import static io.forkd.server.Schema.matching;
import static io.forkd.server.Schema.oneOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;

import io.forkd.guest.FileEntry;
import io.forkd.server.Schema.Shape;

/** The schemas of files in a guest. */
final class FileSchemas {
  static final Schema MODE = matching("[0-7]{3,4}");

  static final Shape ENTRY =
      shape("FileEntry")
          .with("path", text())
          .with("name", text())
          .with("type", oneOf(FileEntry.Type.class))
          .with("size", Schemas.BYTES)
          .with("mode", MODE)
          .with("owner", text())
          .with("group", text())
          .with("modified", text(), "In ISO 8601.")
          .optional("target", text(), "Where a symlink leads.")
          .optional("metadata", mapOf(text()));

  static final Shape MAKE_FOLDER =
      shape("FolderRequest").with("path", text()).optional("user", text());

  static final Shape MOVE =
      shape("MoveRequest").with("from", text()).with("to", text()).optional("user", text());

  static final Shape ATTRIBUTES =
      shape("AttributesRequest")
          .with("path", text())
          .optional("mode", MODE)
          .optional("owner", text(), "A name or number.")
          .optional("group", text(), "A name or number.")
          .optional("recursive", flag())
          .optional("user", text());

  private FileSchemas() {}
}
