package io.forkd.linux;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A program to be started in its own session, with exactly the environment and the descriptors
 * named here and nothing else of this process. Not for use by several threads at once.
 */
public final class Spawn {
  private static final int FIRST_FREE = 3;
  private static final int LOG_MODE = 0640;
  private static final List<Path> PROGRAM_FOLDERS =
      List.of(
          Path.of("/usr/bin"),
          Path.of("/bin"),
          Path.of("/usr/sbin"),
          Path.of("/sbin"),
          Path.of("/usr/local/bin"));

  /**
   * Whom the program runs as, without any way back: no capabilities, no new privileges.
   *
   * @param groups supplementary groups, such as the one that may open /dev/kvm
   */
  public record Identity(int uid, int gid, List<Integer> groups) {
    public Identity {
      if (uid < 0 || gid < 0) {
        throw new IllegalArgumentException("%d:%d is no user".formatted(uid, gid));
      }
      groups = List.copyOf(groups);
    }
  }

  private final List<String> command;
  private final Map<String, String> environment = new TreeMap<>();
  private final Map<Integer, Fd> descriptors = new TreeMap<>();
  private Optional<Path> workingDirectory = Optional.empty();
  private Optional<Path> log = Optional.empty();
  private Optional<Fd> input = Optional.empty();
  private Optional<Fd> output = Optional.empty();
  private Optional<Namespaces> namespaces = Optional.empty();
  private Optional<Identity> identity = Optional.empty();

  private Spawn(List<String> command) {
    this.command = List.copyOf(command);
  }

  /** A program by its absolute path, with its arguments. */
  public static Spawn of(Path program, List<String> arguments) {
    if (!program.isAbsolute()) {
      throw new IllegalArgumentException("%s is not an absolute path".formatted(program));
    }
    List<String> command = new ArrayList<>(List.of(program.toString()));
    command.addAll(arguments);
    return new Spawn(command);
  }

  /** The path of a program in the usual folders, whatever PATH says. */
  public static Optional<Path> find(String name) {
    return PROGRAM_FOLDERS.stream()
        .map(folder -> folder.resolve(name))
        .filter(Files::isExecutable)
        .findFirst();
  }

  /** Adds to the environment, which starts empty. */
  public Spawn environment(Map<String, String> variables) {
    environment.putAll(variables);
    return this;
  }

  public Spawn workingDirectory(Path directory) {
    workingDirectory = Optional.of(directory);
    return this;
  }

  /** Where standard output and error are appended; /dev/null without this. */
  public Spawn log(Path file) {
    log = Optional.of(file);
    return this;
  }

  /** What the program reads from its standard input; the file stays the caller's to close. */
  Spawn input(Fd file) {
    input = Optional.of(file);
    return this;
  }

  /** Where standard output and error go instead of a log; stays the caller's to close. */
  Spawn output(Fd file) {
    output = Optional.of(file);
    return this;
  }

  /** Starts it in other namespaces than those of this process. */
  public Spawn in(Namespaces where) {
    namespaces = Optional.of(where);
    return this;
  }

  /** Lets the program find an open file under a number; the file stays the caller's to close. */
  public Spawn descriptor(Fd source, int target) {
    if (target < FIRST_FREE) {
      throw new IllegalArgumentException(
          "descriptor %d is standard input, output or error; use %d or more"
              .formatted(target, FIRST_FREE));
    }
    if (descriptors.putIfAbsent(target, source) != null) {
      throw new IllegalArgumentException("descriptor %d is given twice".formatted(target));
    }
    return this;
  }

  public Spawn as(Identity whom) {
    identity = Optional.of(whom);
    return this;
  }

  /** Starts it; a program that cannot be executed fails here. */
  public Child start() {
    // A child is born where the thread that starts it is.
    long pid = namespaces.isPresent() ? namespaces.get().call(this::startHere) : startHere();
    return Child.started(pid);
  }

  private long startHere() {
    List<Fd> moved = new ArrayList<>();
    try (SpawnCalls calls = new SpawnCalls()) {
      workingDirectory.ifPresent(directory -> calls.changeDirectory(directory.toString()));
      int above = descriptors.keySet().stream().mapToInt(n -> n + 1).max().orElse(FIRST_FREE);
      if (input.isPresent()) {
        calls.dup2(keep(input.get().dupAbove(above), moved), 0);
      } else {
        calls.open(0, "/dev/null", OpenFlag.READ.bits);
      }
      int written = openOutput(above, moved);
      calls.dup2(written, 1);
      calls.dup2(written, 2);
      for (int target = FIRST_FREE; target < above; target++) {
        Fd source = descriptors.get(target);
        if (source == null) {
          calls.close(target);
        } else {
          calls.dup2(keep(source.dupAbove(above), moved), target);
        }
      }
      calls.closeFrom(above);
      calls.detach();
      return calls.spawn(fullCommand(), variables());
    } finally {
      moved.forEach(Fd::close);
    }
  }

  private int openOutput(int above, Collection<Fd> moved) {
    if (output.isPresent()) {
      return keep(output.get().dupAbove(above), moved);
    }
    try (Fd opened =
        log.isPresent()
            ? HostFiles.open(log.get(), LOG_MODE, OpenFlag.WRITE, OpenFlag.CREATE, OpenFlag.APPEND)
            : HostFiles.open(Path.of("/dev/null"), OpenFlag.WRITE)) {
      return keep(opened.dupAbove(above), moved);
    }
  }

  private static int keep(Fd fd, Collection<Fd> moved) {
    moved.add(fd);
    return fd.number();
  }

  private List<String> variables() {
    return environment.entrySet().stream().map(e -> e.getKey() + "=" + e.getValue()).toList();
  }

  private List<String> fullCommand() {
    if (identity.isEmpty()) {
      return command;
    }
    Path setpriv =
        find("setpriv")
            .orElseThrow(
                () ->
                    new UnsupportedOperationException(
                        "setpriv is missing, so no process can be started as another user: "
                            + "install util-linux"));
    Identity whom = identity.get();
    List<String> full = new ArrayList<>();
    full.add(setpriv.toString());
    full.add("--reuid=" + whom.uid());
    full.add("--regid=" + whom.gid());
    full.add(groups(whom));
    full.add("--no-new-privs");
    full.add("--inh-caps=-all");
    full.add("--bounding-set=-all");
    full.add("--");
    full.addAll(command);
    return full;
  }

  private static String groups(Identity whom) {
    return whom.groups().isEmpty()
        ? "--clear-groups"
        : whom.groups().stream()
            .map(String::valueOf)
            .collect(Collectors.joining(",", "--groups=", ""));
  }
}
