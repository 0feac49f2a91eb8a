package io.forkd.server.e2b;

import io.forkd.base.SandboxId;
import io.forkd.guest.GuestFailure;
import io.forkd.guest.GuestRefusal;
import io.forkd.guest.Inside;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Who runs what clients start without naming anybody: {@code user} where there is one. */
final class Users {
  static final String ROOT = "root";
  private static final String USUAL = "user";
  private static final int MOST = 4096;

  @SuppressWarnings("serial")
  private final Map<SandboxId, String> known =
      new LinkedHashMap<>(16, 0.75f, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<SandboxId, String> eldest) {
          return size() > MOST;
        }
      };

  String usual(SandboxId id, Inside inside) {
    synchronized (known) {
      String name = known.get(id);
      if (name != null) {
        return name;
      }
    }
    String name = ask(inside);
    synchronized (known) {
      known.put(id, name);
    }
    return name;
  }

  private static String ask(Inside inside) {
    try {
      inside.files(Optional.of(USUAL)).stat("~");
      return USUAL;
    } catch (GuestRefusal e) {
      return e.why() == GuestFailure.NO_SUCH_USER ? ROOT : USUAL;
    }
  }
}
