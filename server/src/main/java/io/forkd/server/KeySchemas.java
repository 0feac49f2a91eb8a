package io.forkd.server;

/** The shapes of keys. */
final class KeySchemas {
  static final Schema.Text KEY_ID = Schema.matching("[0-9a-f]{16}");

  static final Schema.Shape WHOAMI =
      Schema.shape("Caller")
          .with("name", Schema.text())
          .with("role", Schema.oneOf(Role.class))
          .optional("owner", Schema.text(), "whose things the caller works with");

  static final Schema.Shape NEW_KEY =
      Schema.shape("NewKey")
          .with("name", Schema.matching(ApiKeys.NAME.pattern()))
          .with("role", Schema.oneOf(Role.class))
          .optional(
              "owner",
              Schema.matching(ApiKeys.OWNER.pattern()),
              "whose things it works with; a user's key has its name as owner when none is given")
          .optional("expires_in_secs", Schema.decimal(1, 31_536_000));

  static final Schema.Shape KEY =
      Schema.shape("Key")
          .with("id", KEY_ID)
          .with("name", Schema.text())
          .with("role", Schema.oneOf(Role.class))
          .optional("owner", Schema.text())
          .with("created_at_unix", Schema.whole(0))
          .optional("expires_at_unix", Schema.whole(0))
          .optional("last_used_unix", Schema.whole(0), "to the minute");

  static final Schema.Shape CREATED_KEY =
      KEY.extended("CreatedKey")
          .with("key", Schema.text(), "the secret, never shown again")
          .with("e2b_key", Schema.text(), "the same key in the form that E2B's clients insist on");

  private KeySchemas() {}
}
