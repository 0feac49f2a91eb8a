package io.forkd.guest;

import java.util.List;

/**
 * A process of a guest. Its texts are fit to be shown, as paths are in {@link GuestEntry}.
 *
 * @param name the kernel's short name of it, at most 15 bytes
 * @param command its arguments, the program first; what exceeds 4 KiB is cut off
 */
public record GuestProcess(long pid, long parent, String name, List<String> command) {
  public GuestProcess {
    command = List.copyOf(command);
  }
}
