package io.forkd.server;

import io.forkd.core.BranchWay;
import io.forkd.core.Branching;
import io.forkd.core.FanOut;
import io.forkd.core.ForkResult;
import io.forkd.core.PoolStatus;
import io.forkd.core.RestoredCost;
import io.forkd.core.Sandbox;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import io.forkd.guest.ForkProof;
import io.forkd.guest.Pong;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Duration;
import java.util.Locale;
import java.util.TreeMap;

/** The wire's shapes, spelled out field by field because clients depend on every name. */
final class Shapes {
  private Shapes() {}

  /** How a constant is spelled on the wire. */
  static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT);
  }

  /** Spelled as the operator spells it who chooses one. */
  static String way(BranchWay way) {
    return word(way).replace('_', '-');
  }

  static JsonObject sandbox(Sandbox sandbox) {
    JsonObject shape =
        Json.object()
            .with("id", sandbox.id())
            .with("snapshot_tag", sandbox.snapshotTag())
            .with("created_at_unix", sandbox.createdAt().getEpochSecond())
            .with("pid", sandbox.pid())
            .withOptional("memory_limit_mib", sandbox.memoryLimitMib())
            .with("has_branched", sandbox.branchCount() > 0)
            .with("branch_count", sandbox.branchCount())
            .with("branch_mode", word(sandbox.branchWay().mode()))
            .with("branch_way", way(sandbox.branchWay()));
    return ChildShapes.addGiven(shape, sandbox)
        .with("pooled", sandbox.pooled())
        .with("proof", proof(sandbox.proof()))
        .with("phases_ms", new TreeMap<>(sandbox.phasesMs()))
        .withOptional("restored", sandbox.restored().map(Shapes::restored));
  }

  private static JsonObject restored(RestoredCost cost) {
    return Json.object()
        .with("cpu_ms", cost.cpuMs())
        .with("anonymous_kib", cost.anonymousKib())
        .with("guest_ram_kib", cost.guestRamKib());
  }

  private static JsonObject proof(ForkProof proof) {
    return Json.object()
        .with("hostname", proof.hostname())
        .with("machine_id", proof.machineId())
        .with("boot_id", proof.bootId())
        .with("clock_error_ms", proof.clockErrorMs())
        .with("clock_step_ms", proof.clockStepMs())
        .with("entropy_bytes", proof.entropyBytes())
        .with("crng_reseeded", proof.crngReseeded())
        .with("kernel_uuid", proof.kernelUuid())
        .with("hooks", proof.hooks());
  }

  static JsonObject fanOut(FanOut fanOut) {
    ForkResult children = fanOut.children();
    return Json.object()
        .with("snapshot", SnapshotShapes.snapshot(fanOut.snapshot()))
        .with("sandboxes", children.sandboxes().stream().map(Shapes::sandbox).toList())
        .with("failures", children.failures().stream().map(Shapes::failure).toList());
  }

  private static JsonObject failure(ForkResult.Failure failure) {
    return Json.object().with("index", failure.index()).with("error", failure.error());
  }

  static JsonObject pong(Pong pong) {
    return Json.object()
        .with("pong", true)
        .with("pid", pong.pid())
        .with("guest_uptime_secs", pong.guestUptime().toMillis() / 1000.0)
        .with("round_trip_ms", milliseconds(pong.roundTrip()));
  }

  static JsonObject exec(ExecResult result) {
    return Json.object()
        .with("stdout", result.stdout())
        .with("stderr", result.stderr())
        .with("exit_code", result.exitCode())
        .with("truncated", result.truncated())
        .with("timed_out", result.timedOut());
  }

  static JsonObject eval(EvalResult result) {
    return Json.object()
        .withNullable("result", result.result())
        .withNullable("error", result.error())
        .with("exit_code", result.exitCode())
        .with("stdout", result.stdout())
        .with("stderr", result.stderr())
        .withOptional("traceback", result.traceback());
  }

  static JsonObject pool(PoolStatus pool) {
    return Json.object()
        .with("tag", pool.tag())
        .with("warm", pool.warm())
        .with("ready", pool.ready())
        .with("filling", pool.filling())
        .withOptional("last_error", pool.lastError());
  }

  static JsonObject branching(Branching branching) {
    return Json.object()
        .with("best", word(branching.best()))
        .with("way", way(branching.way()))
        .with("reason", branching.reason())
        .with("in_flight", branching.inFlight())
        .with("cap", branching.cap());
  }

  private static double milliseconds(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}
