package io.forkd.core;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import io.forkd.guest.Agent;
import io.forkd.guest.AgentInfo;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecRequest;
import io.forkd.guest.ExecResult;
import io.forkd.guest.ForkIdentity;
import io.forkd.image.Recipe;
import io.forkd.vmm.VirtualMachine;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Brings a booting parent to the point where it is worth keeping, and pauses it there. */
final class ParentWarmer {
  private static final Duration STEP_WAIT = Duration.ofMinutes(10);
  private static final Duration LOOK = Duration.ofSeconds(1);
  private static final int CONSOLE_LINES = 15;

  private final VirtualMachine vm;
  private final ForkIdentity identity;
  private final List<String> remarks;
  private final Progress progress;

  /**
   * Takes charge of a parent.
   *
   * @param remarks what may explain why it does not come up
   */
  ParentWarmer(VirtualMachine vm, ForkIdentity identity, List<String> remarks, Progress progress) {
    this.remarks = List.copyOf(remarks);
    this.vm = vm;
    this.identity = identity;
    this.progress = progress;
  }

  /** What became of the parent. */
  record Warmed(int agentProtocol, List<String> runtimes, Optional<String> rehearsal) {}

  Warmed warm(SnapshotSpec spec, Optional<Recipe> recipe) {
    try (Agent agent = Agent.open(vm.agentSocket())) {
      AgentInfo info = awaitReady(agent, spec);
      agent.identify(identity, STEP_WAIT);
      recipe
          .map(Recipe::env)
          .filter(env -> !env.isEmpty())
          .ifPresent(env -> agent.setEnvironment(env, STEP_WAIT));
      List<String> runtimes = startRuntime(agent, info, recipe);
      recipe.map(Recipe::commands).orElse(List.of()).forEach(command -> run(agent, command));
      recipe.flatMap(Recipe::warmup).ifPresent(code -> evaluate(agent, "warmup", code));
      spec.warmup().ifPresent(warmup -> runWarmup(agent, runtimes, warmup));
      Optional<String> rehearsal =
          runtimes.isEmpty()
              ? Optional.empty()
              : recipe.flatMap(Recipe::rehearsal).or(() -> Optional.of("None"));
      rehearsal.ifPresent(code -> evaluate(agent, "rehearsal", code));
      agent.ping(STEP_WAIT);
      agent.quiesce(STEP_WAIT);
      vm.pause();
      return new Warmed(info.protocolVersion(), runtimes, rehearsal);
    }
  }

  private AgentInfo awaitReady(Agent agent, SnapshotSpec spec) {
    long deadline = System.nanoTime() + spec.bootWait().toNanos();
    while (true) {
      try {
        return agent.awaitHello(LOOK);
      } catch (ForkdException e) {
        boolean stopped = e.code() != ErrorCode.TIMEOUT || !stillRuns();
        if (stopped || System.nanoTime() > deadline) {
          throw new ForkdException(
              ErrorCode.TIMEOUT,
              "the guest for snapshot %s %s.%s Its console ends with:\n%s"
                  .formatted(
                      spec.tag(),
                      stopped
                          ? "stopped before its agent answered"
                          : "did not become ready within %d s"
                              .formatted(spec.bootWait().toSeconds()),
                      remarks.isEmpty() ? "" : " " + String.join(" ", remarks),
                      console()),
              e);
        }
      }
    }
  }

  private boolean stillRuns() {
    try {
      return vm.running();
    } catch (ForkdException e) {
      return false;
    }
  }

  private String console() {
    List<String> lines = vm.consoleTail().lines().filter(line -> !line.isBlank()).toList();
    return lines.isEmpty()
        ? "(nothing)"
        : String.join("\n", lines.subList(Math.max(0, lines.size() - CONSOLE_LINES), lines.size()));
  }

  private List<String> startRuntime(Agent agent, AgentInfo info, Optional<Recipe> recipe) {
    Optional<String> wanted = recipe.flatMap(Recipe::runtime);
    if (wanted.isPresent()) {
      progress.begin("runtime", "starting the %s runtime".formatted(wanted.get()));
      agent.startRuntime(wanted.get(), STEP_WAIT);
      return List.of(wanted.get());
    }
    if (recipe.isPresent()) {
      return List.of();
    }
    // A root filesystem of the user's own may or may not have an interpreter.
    for (String runtime : info.runtimes()) {
      try {
        agent.startRuntime(runtime, STEP_WAIT);
        return List.of(runtime);
      } catch (ForkdException e) {
        Log.CORE.info("no {} runtime in this guest: {}", runtime, e.getMessage());
      }
    }
    return List.of();
  }

  private void runWarmup(Agent agent, List<String> runtimes, String warmup) {
    if (runtimes.isEmpty()) {
      run(agent, List.of("/bin/sh", "-c", warmup));
    } else {
      evaluate(agent, "warmup", warmup);
    }
  }

  private void run(Agent agent, List<String> command) {
    progress.begin("warm", "running " + String.join(" ", command));
    ExecResult result = agent.exec(ExecRequest.of(command, STEP_WAIT));
    if (result.exitCode() != 0) {
      throw ForkdException.badRequest(
          "warming failed: `%s` ended with %d: %s",
          String.join(" ", command),
          result.exitCode(),
          lastLines(result.stderr() + result.stdout()));
    }
  }

  private void evaluate(Agent agent, String what, String code) {
    progress.begin("warm", "running the %s code".formatted(what));
    EvalResult result = agent.eval(code, STEP_WAIT);
    result
        .error()
        .ifPresent(
            error -> {
              throw ForkdException.badRequest(
                  "warming failed: the %s code raised %s\n%s",
                  what, error, result.traceback().orElse(""));
            });
  }

  private static String lastLines(String output) {
    List<String> lines = output.strip().lines().toList();
    return String.join(" | ", lines.subList(Math.max(0, lines.size() - 5), lines.size()));
  }
}
