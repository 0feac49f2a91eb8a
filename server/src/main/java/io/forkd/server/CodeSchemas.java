package io.forkd.server;

import static io.forkd.server.Schema.decimal;
import static io.forkd.server.Schema.oneOf;
import static io.forkd.server.Schema.shape;
import static io.forkd.server.Schema.text;

import io.forkd.guest.Language;
import io.forkd.server.Schema.Shape;

/** The schemas of contexts and of code to run in them. */
final class CodeSchemas {
  static final int LONGEST_SECONDS = 86_400;

  static final Shape CONTEXT =
      shape("CodeContext")
          .with("id", text())
          .with("language", oneOf(Language.class))
          .with("cwd", text());

  static final Shape CREATE =
      shape("ContextRequest").with("language", oneOf(Language.class)).optional("cwd", text());

  static final Shape EXECUTE =
      shape("ExecuteRequest")
          .with("code", text())
          .optional("context", text(), "The default one of the language unless told.")
          .optional("language", oneOf(Language.class), "python unless told; not with context.")
          .optional("env", EnvironmentFields.SCHEMA, "Set while the code runs.")
          .optional("timeout_secs", decimal(1, LONGEST_SECONDS), "When the code is interrupted.");

  private CodeSchemas() {}
}
