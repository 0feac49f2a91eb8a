package io.forkd.server;

import io.forkd.core.PoolStatus;
import io.forkd.core.RestoredCost;
import io.forkd.core.Sandbox;
import io.forkd.core.Snapshot;
import io.forkd.guest.EvalResult;
import io.forkd.guest.ExecResult;
import io.forkd.guest.ForkProof;
import io.forkd.guest.Pong;
import io.forkd.server.http.Json;
import io.forkd.server.http.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/** The wire's shapes, spelled out field by field because clients depend on every name. */
final class Shapes {
  private Shapes() {}

  static JsonObject snapshot(Snapshot snapshot) {
    JsonObject shape =
        Json.object()
            .with("tag", snapshot.tag())
            .with("dir", snapshot.dir())
            .with("created_at_unix", snapshot.createdAt().getEpochSecond())
            .with("status", snapshot.status().name().toLowerCase(Locale.ROOT))
            .with("bootable", snapshot.bootable())
            .withOptional("warning", snapshot.warning());
    return withOrigin(withMemory(shape, snapshot), snapshot);
  }

  static JsonObject snapshotDetail(Snapshot snapshot) {
    JsonObject shape =
        Json.object()
            .with("tag", snapshot.tag())
            .with("dir", snapshot.dir())
            .with("created_at_unix", snapshot.createdAt().getEpochSecond());
    return withOrigin(withMemory(shape, snapshot), snapshot)
        .with("vmstate_bytes", snapshot.vmstateBytes())
        // A snapshot has no parent until sandboxes can be branched.
        .with("chain_depth", 0)
        .with("ancestors", List.of())
        .with("dependents", List.of());
  }

  private static JsonObject withMemory(JsonObject shape, Snapshot snapshot) {
    return shape
        .with("memory_mib", snapshot.memoryMib())
        .with("memory_logical_bytes", snapshot.memoryLogicalBytes())
        .with("memory_physical_bytes", snapshot.memoryPhysicalBytes());
  }

  private static JsonObject withOrigin(JsonObject shape, Snapshot snapshot) {
    return shape
        .with("vcpus", snapshot.vcpus())
        .with("source", snapshot.source())
        .with("arch", snapshot.arch())
        .with("vmm", snapshot.vmm())
        .with("machine", snapshot.machine())
        .with("content_hash", snapshot.contentHash())
        .with("runtimes", snapshot.runtimes());
  }

  static JsonObject sandbox(Sandbox sandbox) {
    return Json.object()
        .with("id", sandbox.id())
        .with("snapshot_tag", sandbox.snapshotTag())
        .with("created_at_unix", sandbox.createdAt().getEpochSecond())
        .with("pid", sandbox.pid())
        .withOptional("memory_limit_mib", sandbox.memoryLimitMib())
        .with("has_branched", false)
        .with("branch_count", 0)
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

  private static double milliseconds(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}
