package io.forkd.bench;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import io.forkd.base.Tag;
import io.forkd.client.BranchMode;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The words after {@code forkd bench}, understood. */
sealed interface BenchOptions
    permits SpawnOptions,
        ChurnOptions,
        BranchOptions,
        HogsOptions,
        LoadOptions,
        EvalOptions,
        FilesOptions {
  boolean json();

  Set<String> SPAWN_VALUES =
      Set.of("--tag", "--n", "--peer-n", "--boots", "--measured", "--parallel", "--out");
  Set<String> SPAWN_FLAGS = Set.of("--pool", "--peers", "--json");
  Set<String> CHURN_VALUES = Set.of("--tag", "--n");
  Set<String> CHURN_FLAGS = Set.of("--json");
  Set<String> BRANCH_VALUES =
      Set.of("--tag", "--dirty-mib", "--mode", "--depths", "--repeat", "--writer-mib-s", "--out");
  Set<String> BRANCH_FLAGS = Set.of("--json");
  Set<String> HOGS_VALUES = Set.of("--tag", "--evals", "--cpus");
  Set<String> HOGS_FLAGS = Set.of("--json");
  Set<String> LOAD_VALUES = Set.of("--tag", "--clients", "--secs", "--sandboxes");
  Set<String> LOAD_FLAGS = Set.of("--json");
  Set<String> EVAL_VALUES = Set.of("--tag", "--n");
  Set<String> EVAL_FLAGS = Set.of("--json");
  Set<String> FILES_VALUES = Set.of("--tag", "--mib", "--memory-mib", "--path");
  Set<String> FILES_FLAGS = Set.of("--json");
  int MOST_CHILDREN = 1000;
  int MOST_CHURN = 1_000_000;
  int MOST_MIB = 65_536;
  int DEEPEST = 16;

  /**
   * Reads the arguments.
   *
   * @param results where results go unless the arguments say otherwise
   */
  static BenchOptions parse(List<String> args, Path results, int cores) {
    String kind = args.isEmpty() ? "" : args.getFirst();
    return switch (kind) {
      case "spawn" -> spawn(new Words(args, SPAWN_VALUES, SPAWN_FLAGS), results, cores);
      case "churn" -> churn(new Words(args, CHURN_VALUES, CHURN_FLAGS));
      case "branch" -> branch(new Words(args, BRANCH_VALUES, BRANCH_FLAGS), results);
      case "load" -> load(new Words(args, LOAD_VALUES, LOAD_FLAGS));
      case "eval" -> eval(new Words(args, EVAL_VALUES, EVAL_FLAGS));
      case "files" -> files(new Words(args, FILES_VALUES, FILES_FLAGS));
      case "hogs" -> hogs(new Words(args, HOGS_VALUES, HOGS_FLAGS), cores);
      default ->
          throw ForkdException.badRequest(
              "'%s' is no benchmark: there are spawn, churn, branch, hogs, load, eval and files.",
              Printable.shorten(kind));
    };
  }

  private static SpawnOptions spawn(Words words, Path results, int cores) {
    int n = words.number("--n", 1, MOST_CHILDREN).orElse(100);
    return new SpawnOptions(
        words.tag(),
        n,
        words.has("--pool"),
        words.has("--peers"),
        words.number("--peer-n", 1, n),
        words.number("--boots", 1, n),
        words.number("--measured", 0, MOST_CHILDREN).orElse(Math.min(20, n)),
        words.number("--parallel", 1, 256).orElse(2 * cores),
        words.has("--json"),
        words.out(results));
  }

  private static BranchOptions branch(Words words, Path results) {
    return new BranchOptions(
        words.tag(),
        words.numbers("--dirty-mib", MOST_MIB).orElse(List.of(0, 10, 50, 100, 250)),
        words.modes().orElse(List.of(BranchMode.DIFF, BranchMode.LIVE)),
        words.numbers("--depths", DEEPEST).orElse(List.of(0, 1, 3)),
        words.number("--repeat", 1, 1000).orElse(10),
        words.number("--writer-mib-s", 0, 1000).orElse(5),
        words.has("--json"),
        words.out(results));
  }

  private static ChurnOptions churn(Words words) {
    return new ChurnOptions(
        words.tag(), words.number("--n", 1, MOST_CHURN).orElse(500), words.has("--json"));
  }

  private static LoadOptions load(Words words) {
    return new LoadOptions(
        words.tag(),
        words.number("--clients", 1, 4000).orElse(200),
        words.number("--secs", 1, 3600).orElse(60),
        words.number("--sandboxes", 1, MOST_CHILDREN).orElse(8),
        words.has("--json"));
  }

  private static EvalOptions eval(Words words) {
    return new EvalOptions(
        words.tag(), words.number("--n", 1, MOST_CHURN).orElse(300), words.has("--json"));
  }

  private static FilesOptions files(Words words) {
    return new FilesOptions(
        words.tag(),
        words.number("--mib", 1, MOST_MIB).orElse(1024),
        words.number("--memory-mib", 1, 1 << 20),
        words.value("--path").orElse("/tmp/forkd-bench"),
        words.has("--json"));
  }

  /** Three hogs leave a quarter of the machine to the others unless told otherwise. */
  private static HogsOptions hogs(Words words, int cores) {
    return new HogsOptions(
        words.tag(),
        words.number("--evals", 1, MOST_CHURN).orElse(200),
        words.share("--cpus").or(() -> Optional.of(cores / 4.0)).filter(share -> share > 0),
        words.has("--json"));
  }

  /** Options and their values, each at most once. */
  final class Words {
    private final Map<String, String> values = new HashMap<>();

    private Words(List<String> args, Set<String> withValue, Set<String> flags) {
      for (int i = 1; i < args.size(); i++) {
        String name = args.get(i).replaceFirst("=.*", "");
        String value = "";
        if (withValue.contains(name)) {
          if (args.get(i).contains("=")) {
            value = args.get(i).substring(name.length() + 1);
          } else if (i + 1 < args.size()) {
            value = args.get(++i);
          }
          if (value.isEmpty()) {
            throw ForkdException.badRequest("%s needs a value.", name);
          }
        } else if (!flags.contains(args.get(i))) {
          throw ForkdException.badRequest(
              "bench %s has no option %s.", args.getFirst(), Printable.shorten(args.get(i)));
        }
        if (values.put(name, value) != null) {
          throw ForkdException.badRequest("%s is given twice.", name);
        }
      }
    }

    private boolean has(String name) {
      return values.containsKey(name);
    }

    private Optional<String> value(String name) {
      return Optional.ofNullable(values.get(name));
    }

    private String tag() {
      return Tag.of(
              value("--tag")
                  .orElseThrow(
                      () ->
                          ForkdException.badRequest(
                              "--tag is missing: name a snapshot, as `forkd images` lists them.")))
          .value();
    }

    private Path out(Path results) {
      return value("--out").map(Path::of).orElse(results).toAbsolutePath().normalize();
    }

    /** Several numbers from 0 on, smallest first. */
    private Optional<List<Integer>> numbers(String name, int most) {
      return value(name)
          .map(
              text ->
                  items(name, text).stream().map(it -> number(name, it, 0, most)).sorted().toList())
          .map(numbers -> distinct(name, numbers));
    }

    private Optional<List<BranchMode>> modes() {
      return value("--mode")
          .map(text -> items("--mode", text).stream().map(Words::mode).toList())
          .map(modes -> distinct("--mode", modes));
    }

    private static BranchMode mode(String text) {
      return Arrays.stream(BranchMode.values())
          .filter(mode -> mode.toString().equals(text))
          .findFirst()
          .orElseThrow(
              () ->
                  ForkdException.badRequest(
                      "--mode has '%s': use diff, live and full, with commas between them.",
                      Printable.shorten(text)));
    }

    private static List<String> items(String name, String text) {
      List<String> items = List.of(text.split(",", -1));
      if (items.contains("")) {
        throw ForkdException.badRequest(
            "%s is '%s': put one comma between two values and none elsewhere.",
            name, Printable.shorten(text));
      }
      return items;
    }

    private static <T> List<T> distinct(String name, List<T> items) {
      Set<T> seen = new HashSet<>();
      for (T item : items) {
        if (!seen.add(item)) {
          throw ForkdException.badRequest("%s has %s twice.", name, item);
        }
      }
      return items;
    }

    /** Processors, in parts of one. */
    private Optional<Double> share(String name) {
      return value(name)
          .map(
              text -> {
                if (!text.matches("[0-9]{1,4}(\\.[0-9]{1,3})?")) {
                  throw ForkdException.badRequest(
                      "%s is '%s': use a number such as 0.5; 0 means no limit.",
                      name, Printable.shorten(text));
                }
                return Double.valueOf(text);
              });
    }

    private Optional<Integer> number(String name, int least, int most) {
      return value(name).map(text -> number(name, text, least, most));
    }

    private static int number(String name, String text, int least, int most) {
      try {
        int number = Integer.parseInt(text);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        throw outOfRange(name, text, least, most, e);
      }
      throw outOfRange(name, text, least, most, null);
    }

    private static ForkdException outOfRange(
        String name,
        String text,
        int least,
        int most,
        @org.jspecify.annotations.Nullable Exception cause) {
      return new ForkdException(
          io.forkd.base.ErrorCode.BAD_REQUEST,
          "%s is '%s': use a number from %d to %d."
              .formatted(name, Printable.shorten(text), least, most),
          cause);
    }
  }
}
