package io.forkd.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.forkd.base.Tag;
import java.util.Optional;

/**
 * An announced snapshot that is not on disk yet, or never came to be.
 *
 * @param parent what it is a delta to; its content hash need not be known yet
 * @param reason why it failed; empty while it is being written
 */
@JsonInclude(JsonInclude.Include.NON_ABSENT)
public record Pending(
    Tag tag,
    long createdAtUnix,
    int memoryMib,
    Optional<Tag> parent,
    Optional<Manifest.Branch> branch,
    Optional<Long> expiresAtUnix,
    Optional<String> owner,
    State state,
    Optional<String> reason) {
  /** How far it came. */
  public enum State {
    WRITING,
    FAILED
  }

  /** One that is being written now. */
  public static Pending writing(
      Tag tag,
      long createdAtUnix,
      int memoryMib,
      Optional<Tag> parent,
      Optional<Manifest.Branch> branch,
      Optional<Long> expiresAtUnix,
      Optional<String> owner) {
    return new Pending(
        tag,
        createdAtUnix,
        memoryMib,
        parent,
        branch,
        expiresAtUnix,
        owner,
        State.WRITING,
        Optional.empty());
  }

  Pending failed(String why) {
    return new Pending(
        tag,
        createdAtUnix,
        memoryMib,
        parent,
        branch,
        expiresAtUnix,
        owner,
        State.FAILED,
        Optional.of(why));
  }
}
