package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.guest.GuestProcess;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Finds what differs between two guests as their agents see them. */
final class CompareGuests {
  private CompareGuests() {}

  /** The parts of a difference that guests can tell. */
  record Parts(List<Difference.FileChange> files, Difference.Processes processes) {
    Parts {
      files = List.copyOf(files);
    }

    /** The whole, with what the host found out about memory. */
    Difference with(Difference.Pages pages) {
      return new Difference(files, pages, processes);
    }
  }

  /**
   * Compares files and processes.
   *
   * @param sameRoot whether both have the same image, so that only what was written can differ;
   *     else every file is compared, which takes as long as reading both images
   * @param text whether unified diffs of text files are wanted
   */
  static Parts compare(GuestView a, GuestView b, boolean sameRoot, boolean text) {
    Both<List<GuestProcess>> processes = ask(a::processes, b::processes);
    List<Difference.FileChange> files = new CompareFiles(a, b, text).changes(sameRoot);
    return new Parts(files, compare(processes.a(), processes.b()));
  }

  static Difference.Processes compare(List<GuestProcess> inA, List<GuestProcess> inB) {
    return new Difference.Processes(inA.size(), inB.size(), missing(inB, inA), missing(inA, inB));
  }

  private static List<String> missing(List<GuestProcess> from, List<GuestProcess> of) {
    Set<String> there = from.stream().map(CompareGuests::label).collect(Collectors.toSet());
    return of.stream()
        .sorted(Comparator.comparingLong(GuestProcess::pid))
        .map(CompareGuests::label)
        .filter(label -> !there.contains(label))
        .toList();
  }

  private static String label(GuestProcess process) {
    return process.pid() + " " + process.name();
  }

  /** The same of both guests. */
  record Both<T>(T a, T b) {}

  /** Asks both guests at the same time: each may think for seconds. */
  static <T> Both<T> ask(Supplier<T> a, Supplier<T> b) {
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<T> fromB = threads.submit(b::get);
      T fromA = a.get();
      return new Both<>(fromA, fromB.get());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ForkdException(ErrorCode.TIMEOUT, "The comparison was interrupted.", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof ForkdException known
          ? new ForkdException(known.code(), String.valueOf(known.getMessage()), known)
          : new ForkdException(ErrorCode.INTERNAL, "The comparison failed: " + e.getCause(), e);
    }
  }
}
