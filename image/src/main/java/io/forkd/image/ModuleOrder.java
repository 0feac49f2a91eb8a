package io.forkd.image;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/** Puts modules into an order in which each finds what it needs already loaded. */
final class ModuleOrder {
  private final Function<String, Optional<Modinfo>> lookup;
  private final Predicate<String> builtin;
  private final Set<String> ordered = new LinkedHashSet<>();
  private final List<String> path = new ArrayList<>();

  ModuleOrder(Function<String, Optional<Modinfo>> lookup, Predicate<String> builtin) {
    this.lookup = lookup;
    this.builtin = builtin;
  }

  /** Adds a module and what it depends on; false when the kernel neither has it nor needs it. */
  boolean add(String name) {
    if (builtin.test(name) || ordered.contains(name)) {
      return true;
    }
    Optional<Modinfo> info = lookup.apply(name);
    if (info.isEmpty()) {
      return false;
    }
    if (path.contains(name)) {
      throw broken("The kernel modules %s depend on each other.", String.join(" → ", path));
    }
    path.addLast(name);
    info.get().wishes().forEach(this::addWish);
    for (String dependency : info.get().depends()) {
      if (!add(dependency)) {
        throw broken("The kernel module %s needs %s, which is missing.", name, dependency);
      }
    }
    path.removeLast();
    ordered.add(name);
    return true;
  }

  List<String> ordered() {
    return List.copyOf(ordered);
  }

  /** A wish may name an algorithm, such as crc32c, that several modules offer. */
  private void addWish(String wish) {
    if (!path.contains(wish) && !add(wish) && !path.contains(wish + "_generic")) {
      add(wish + "_generic");
    }
  }

  @FormatMethod
  private static ForkdException broken(@FormatString String format, Object... args) {
    return new ForkdException(
        ErrorCode.HOST_FAILED,
        format.formatted(args) + " Next: give another kernel or a complete modules folder.");
  }
}
