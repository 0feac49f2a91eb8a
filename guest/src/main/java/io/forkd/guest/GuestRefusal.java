package io.forkd.guest;

import io.forkd.base.ForkdException;

/** A guest's refusal to do something with a file or process, with why in a word. */
public final class GuestRefusal extends ForkdException {
  private final GuestFailure why;

  public GuestRefusal(GuestFailure why, String message) {
    super(why.code(), message);
    this.why = why;
  }

  public GuestFailure why() {
    return why;
  }
}
