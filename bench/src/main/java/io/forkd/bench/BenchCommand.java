package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.client.ForkdClient;
import io.forkd.client.ForkdClientException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Supplier;

/** {@code forkd bench}, for whoever parses the words before it. */
public final class BenchCommand {
  private static final int OK = 0;
  private static final int FAILED = 1;
  private static final int USAGE = 2;

  private BenchCommand() {}

  /** What can be asked for. */
  public static String usage() {
    return """
    Usage: forkd bench spawn --tag T [--n 100] [--pool] [--peers] [--json] [--out DIR]
           forkd bench churn --tag T [--n 500] [--json]
           forkd bench load --tag T [--clients 200] [--secs 60] [--sandboxes 8] [--json]
           forkd bench hogs --tag T [--evals 200] [--cpus 0.5] [--json]
           forkd bench eval --tag T [--n 300] [--json]
           forkd bench files --tag T [--mib 1024] [--memory-mib N] [--path P] [--json]
           forkd bench branch --tag T [--dirty-mib 0,10,50,100,250] [--mode diff,live] [--json] [--out DIR]

    spawn: from the request to the last child's answer, with CPU and memory per child.
      --n N         children, and workloads of every peer (100)
      --pool        also with children taken from a warm pool
      --peers       also crun and runsc containers and cold QEMU boots, in the same run
      --peer-n K    containers of each kind (N); fewer are extrapolated, and marked so
      --boots K     cold boots (as many as run at once)
      --measured K  children looked at right after they are restored (20)
      --parallel P  workloads under way at once, forkd and peers alike (2 per core)
      --out DIR     where the JSON and the chart go
      --json        print the JSON instead of the table
    churn: forks and kills one child at a time, compares the first hundred with the last and counts what stays behind.
    load: many clients ask a few sandboxes at once, beside some that read no answers.
    hogs: how long a sandbox takes to answer beside a fork bomb, a memory hog and a disk hog.
      --evals K     questions each time (200)
      --cpus C      processors each hog's sandbox may have (a quarter of all); 0: no limit
    eval: one question after the other through REST, and how much of each answer's time the agent took.
    files: a large file into a sandbox and back; its hash, the speed, and the daemon's memory meanwhile.
      --memory-mib N  what the sandbox may take of the host's memory (no limit)
    branch: how long a sandbox pauses for a branch, and when children of the branch answer.
      --dirty-mib LIST  memory the sandbox has changed, a row each (0,10,50,100,250)
      --mode LIST       diff, live, full (diff,live)
      --repeat K        branches per row (10)
      --writer-mib-s R  how fast the guest goes on writing meanwhile (5); 0: not at all
      --depths LIST     how many branches lie between the snapshot and the source (0,1,3)
      --out, --json     as above
    """;
  }

  /**
   * Runs a benchmark.
   *
   * @param args what follows {@code bench}, such as {@code spawn --tag T}
   * @param daemon asked for a client only when the arguments make sense; the client is closed here
   * @param results where results go unless the arguments say otherwise
   * @return 0, 1 when something failed or leaked, 2 when the arguments make no sense
   */
  public static int run(
      List<String> args,
      Supplier<ForkdClient> daemon,
      Path results,
      PrintStream out,
      PrintStream err) {
    if (args.contains("--help") || args.contains("-h")) {
      out.print(usage());
      return OK;
    }
    BenchOptions options;
    try {
      options = BenchOptions.parse(args, results, Runtime.getRuntime().availableProcessors());
    } catch (ForkdException e) {
      err.println("forkd bench: " + e.getMessage());
      err.print(usage());
      return USAGE;
    }
    try (ForkdClient client = daemon.get()) {
      Narrator narrator = new Narrator(err);
      return switch (options) {
        case SpawnOptions spawn -> spawn(spawn, new SpawnBench(client, narrator), out, err);
        case ChurnOptions churn -> churn(churn, new ChurnBench(client, narrator), out);
        case LoadOptions load -> load(load, new LoadBench(client, narrator), out);
        case EvalOptions eval -> eval(eval, new EvalBench(client, narrator), out);
        case FilesOptions files -> files(files, new FilesBench(client, narrator), out);
        case HogsOptions hogs -> hogs(hogs, new HogsBench(client, narrator, Settling::pause), out);
        case BranchOptions branch ->
            branch(branch, new BranchBench(client, narrator, Settling::pause), out, err);
      };
    } catch (ForkdException | ForkdClientException | Undo.EndingException e) {
      err.println("forkd bench: " + e.getMessage());
      return FAILED;
    }
  }

  private static int spawn(
      SpawnOptions options, SpawnBench bench, PrintStream out, PrintStream err) {
    requireWritable(options.out());
    SpawnReport report = bench.run(options);
    String json = PrettyJson.of(SpawnJson.of(report));
    out.print(options.json() ? json : SpawnText.of(report));
    write(options.out(), report.machine(), "spawn", json, SpawnChart.of(report), err);
    return report.results().stream().allMatch(Result::measured) ? OK : FAILED;
  }

  private static int branch(
      BranchOptions options, BranchBench bench, PrintStream out, PrintStream err) {
    requireWritable(options.out());
    BranchReport report = bench.run(options);
    String json = PrettyJson.of(BranchJson.of(report));
    out.print(options.json() ? json : BranchText.of(report));
    write(options.out(), report.machine(), "branch", json, BranchChart.of(report), err);
    return report.failures().isEmpty() ? OK : FAILED;
  }

  private static void write(
      Path folder, Machine machine, String kind, String json, String chart, PrintStream err) {
    String stem =
        "%s-%s-%s"
            .formatted(machine.when().atZone(ZoneOffset.UTC).toLocalDate(), kind, machine.arch());
    try {
      Path data = Files.writeString(folder.resolve(stem + ".json"), json);
      Path picture = Files.writeString(folder.resolve(stem + ".svg"), chart);
      err.println("Written: %s and %s".formatted(data, picture.getFileName()));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Told before the measuring, not after it. */
  private static void requireWritable(Path folder) {
    try {
      Files.createDirectories(folder);
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.BAD_REQUEST,
          "Results cannot be written to %s (%s). Next: name another folder with --out."
              .formatted(folder, e),
          e);
    }
  }

  private static int hogs(HogsOptions options, HogsBench bench, PrintStream out) {
    HogsReport report = bench.run(options);
    out.print(options.json() ? PrettyJson.of(report.json()) : report.text());
    return report.failures().isEmpty() ? OK : FAILED;
  }

  private static int eval(EvalOptions options, EvalBench bench, PrintStream out) {
    EvalReport report = bench.run(options);
    out.print(options.json() ? PrettyJson.of(report.json()) : report.text());
    return OK;
  }

  private static int files(FilesOptions options, FilesBench bench, PrintStream out) {
    FilesReport report = bench.run(options);
    out.print(options.json() ? PrettyJson.of(report.json()) : report.text());
    return report.intact() ? OK : FAILED;
  }

  private static int load(LoadOptions options, LoadBench bench, PrintStream out) {
    LoadReport report = bench.run(options);
    out.print(options.json() ? PrettyJson.of(report.json()) : report.text());
    return report.errors().isEmpty() ? OK : FAILED;
  }

  private static int churn(ChurnOptions options, ChurnBench bench, PrintStream out) {
    ChurnReport report = bench.run(options);
    out.print(options.json() ? PrettyJson.of(report.json()) : report.text());
    return report.clean() ? OK : FAILED;
  }
}
