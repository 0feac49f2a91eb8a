package io.forkd.linux;

import static java.lang.foreign.ValueLayout.ADDRESS;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/** Binds C functions to method handles and turns their failures into {@link LinuxException}. */
final class Native {
  private static final Linker LINKER = Linker.nativeLinker();
  private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
  private static final VarHandle ERRNO =
      CAPTURED.varHandle(MemoryLayout.PathElement.groupElement("errno"));

  private Native() {}

  /** One attempt at a C call; returns -1 when it failed and errno says why. */
  @FunctionalInterface
  interface Attempt {
    long run(Arena arena, MemorySegment captured) throws Throwable;
  }

  /** A C function whose first Java argument is the segment that receives errno. */
  static MethodHandle bind(String function, FunctionDescriptor descriptor) {
    return bind(function, descriptor, Linker.Option.captureCallState("errno"));
  }

  /** Like {@link #bind(String, FunctionDescriptor)} for functions declared with {@code ...}. */
  static MethodHandle bindVariadic(String function, int fixed, FunctionDescriptor descriptor) {
    return bind(
        function,
        descriptor,
        Linker.Option.captureCallState("errno"),
        Linker.Option.firstVariadicArg(fixed));
  }

  /** A C function that returns its error number (or cannot fail) and leaves errno alone. */
  static MethodHandle bindPlain(String function, FunctionDescriptor descriptor) {
    return bind(function, descriptor, new Linker.Option[0]);
  }

  private static MethodHandle bind(
      String function, FunctionDescriptor descriptor, Linker.Option... options) {
    return LINKER
        .defaultLookup()
        .find(function)
        .map(address -> LINKER.downcallHandle(address, descriptor, options))
        .orElseGet(() -> missing(function, descriptor, options));
  }

  /** A stand-in that says what is missing when it is called, so that the rest stays usable. */
  private static MethodHandle missing(
      String function, FunctionDescriptor descriptor, Linker.Option... options) {
    var type = descriptor.toMethodType();
    if (options.length > 0) {
      type = type.insertParameterTypes(0, MemorySegment.class);
    }
    MethodHandle thrower =
        MethodHandles.throwException(type.returnType(), UnsupportedOperationException.class)
            .bindTo(
                new UnsupportedOperationException(
                    "this C library has no %s; forkd needs glibc 2.34 or newer"
                        .formatted(function)));
    return MethodHandles.dropArguments(thrower, 0, type.parameterList());
  }

  /** Runs a call, again when a signal interrupted it, and throws when it failed. */
  static long call(String function, Attempt attempt, Object... arguments) {
    while (true) {
      long result = tryCall(attempt);
      if (result >= 0) {
        return result;
      }
      if (-result != Errno.EINTR.number()) {
        throw new LinuxException(function, LinuxException.texts(arguments), (int) -result);
      }
    }
  }

  /** Runs a call once: its result, or the negative errno. Addresses never come this way. */
  static long tryCall(Attempt attempt) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment captured = arena.allocate(CAPTURED);
      long result = attempt.run(arena, captured);
      return result == -1 ? -errno(captured) : result;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("a C call threw a checked exception, which none can", e);
    }
  }

  /** Room for the errno of one call after the other, where making it for each would cost. */
  static MemorySegment errnoRoom(Arena arena) {
    return arena.allocate(CAPTURED);
  }

  static int errno(MemorySegment captured) {
    return (int) ERRNO.get(captured, 0L);
  }

  /** A C string; text with a NUL inside is refused, because C would see only its beginning. */
  static MemorySegment string(Arena arena, String text) {
    if (text.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("text with a NUL character cannot be passed to C");
    }
    return arena.allocateFrom(text);
  }

  /** A NULL-terminated array of C strings, as argv and envp are. */
  static MemorySegment strings(Arena arena, List<String> texts) {
    MemorySegment array = arena.allocate(ADDRESS, texts.size() + 1L);
    for (int i = 0; i < texts.size(); i++) {
      array.setAtIndex(ADDRESS, i, string(arena, texts.get(i)));
    }
    return array;
  }
}
