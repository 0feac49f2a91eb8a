package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** posix_spawn and what it takes; one instance is one call being prepared. */
final class SpawnCalls implements AutoCloseable {
  static final int FILE_ACTIONS_SIZE = 80;
  static final int ATTRIBUTES_SIZE = 336;
  static final int SIGSET_SIZE = 128;
  static final int SETSIGDEF = 0x04;
  static final int SETSIGMASK = 0x08;
  static final int SETSID = 0x80;

  private static final MethodHandle SPAWN =
      plain("posix_spawn", ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS, ADDRESS);
  private static final MethodHandle ACTIONS_INIT = plain("posix_spawn_file_actions_init", ADDRESS);
  private static final MethodHandle ACTIONS_DESTROY =
      plain("posix_spawn_file_actions_destroy", ADDRESS);
  private static final MethodHandle ADD_OPEN =
      plain("posix_spawn_file_actions_addopen", ADDRESS, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle ADD_DUP2 =
      plain("posix_spawn_file_actions_adddup2", ADDRESS, JAVA_INT, JAVA_INT);
  private static final MethodHandle ADD_CLOSE =
      plain("posix_spawn_file_actions_addclose", ADDRESS, JAVA_INT);
  private static final MethodHandle ADD_CHDIR =
      plain("posix_spawn_file_actions_addchdir_np", ADDRESS, ADDRESS);
  private static final MethodHandle ADD_CLOSEFROM =
      plain("posix_spawn_file_actions_addclosefrom_np", ADDRESS, JAVA_INT);
  private static final MethodHandle ATTR_INIT = plain("posix_spawnattr_init", ADDRESS);
  private static final MethodHandle ATTR_DESTROY = plain("posix_spawnattr_destroy", ADDRESS);
  private static final MethodHandle ATTR_SETFLAGS =
      plain("posix_spawnattr_setflags", ADDRESS, JAVA_SHORT);
  private static final MethodHandle ATTR_SETSIGMASK =
      plain("posix_spawnattr_setsigmask", ADDRESS, ADDRESS);
  private static final MethodHandle ATTR_SETSIGDEFAULT =
      plain("posix_spawnattr_setsigdefault", ADDRESS, ADDRESS);
  private static final MethodHandle SIGFILLSET = plain("sigfillset", ADDRESS);

  /** A call that returns zero or an error number. */
  @FunctionalInterface
  private interface Step {
    int run() throws Throwable;
  }

  private final Arena arena = Arena.ofConfined();
  private final MemorySegment actions = arena.allocate(FILE_ACTIONS_SIZE, Long.BYTES);
  private final MemorySegment attributes = arena.allocate(ATTRIBUTES_SIZE, Long.BYTES);

  SpawnCalls() {
    check("posix_spawn_file_actions_init", () -> (int) ACTIONS_INIT.invokeExact(actions));
    check("posix_spawnattr_init", () -> (int) ATTR_INIT.invokeExact(attributes));
  }

  private static MethodHandle plain(String name, MemoryLayout... parameters) {
    return Native.bindPlain(name, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  void open(int target, String path, int flags) {
    MemorySegment file = Native.string(arena, path);
    check(
        "posix_spawn_file_actions_addopen",
        () -> (int) ADD_OPEN.invokeExact(actions, target, file, flags, 0),
        target,
        path);
  }

  void dup2(int source, int target) {
    check(
        "posix_spawn_file_actions_adddup2",
        () -> (int) ADD_DUP2.invokeExact(actions, source, target),
        source,
        target);
  }

  void close(int target) {
    check(
        "posix_spawn_file_actions_addclose",
        () -> (int) ADD_CLOSE.invokeExact(actions, target),
        target);
  }

  void closeFrom(int lowest) {
    check(
        "posix_spawn_file_actions_addclosefrom_np",
        () -> (int) ADD_CLOSEFROM.invokeExact(actions, lowest),
        lowest);
  }

  void changeDirectory(String path) {
    MemorySegment directory = Native.string(arena, path);
    check(
        "posix_spawn_file_actions_addchdir_np",
        () -> (int) ADD_CHDIR.invokeExact(actions, directory),
        path);
  }

  /** A new session, no blocked signal, every signal at its default. */
  void detach() {
    MemorySegment none = arena.allocate(SIGSET_SIZE, Long.BYTES);
    MemorySegment all = arena.allocate(SIGSET_SIZE, Long.BYTES);
    check("sigfillset", () -> (int) SIGFILLSET.invokeExact(all));
    check("posix_spawnattr_setsigmask", () -> (int) ATTR_SETSIGMASK.invokeExact(attributes, none));
    check(
        "posix_spawnattr_setsigdefault",
        () -> (int) ATTR_SETSIGDEFAULT.invokeExact(attributes, all));
    short flags = (short) (SETSID | SETSIGMASK | SETSIGDEF);
    check("posix_spawnattr_setflags", () -> (int) ATTR_SETFLAGS.invokeExact(attributes, flags));
  }

  int spawn(List<String> command, List<String> environment) {
    MemorySegment pid = arena.allocate(JAVA_INT);
    MemorySegment path = Native.string(arena, command.getFirst());
    MemorySegment argv = Native.strings(arena, command);
    MemorySegment envp = Native.strings(arena, environment);
    check(
        "posix_spawn",
        () -> (int) SPAWN.invokeExact(pid, path, actions, attributes, argv, envp),
        command);
    return pid.get(JAVA_INT, 0);
  }

  private static void check(String function, Step step, Object... arguments) {
    int error;
    try {
      error = step.run();
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("a C call threw a checked exception, which none can", e);
    }
    if (error != 0) {
      throw new LinuxException(function, LinuxException.texts(arguments), error);
    }
  }

  @Override
  public void close() {
    check("posix_spawnattr_destroy", () -> (int) ATTR_DESTROY.invokeExact(attributes));
    check("posix_spawn_file_actions_destroy", () -> (int) ACTIONS_DESTROY.invokeExact(actions));
    arena.close();
  }
}
