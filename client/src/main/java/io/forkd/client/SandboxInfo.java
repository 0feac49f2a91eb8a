package io.forkd.client;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A sandbox.
 *
 * @param pid the VMM's process id on the daemon's host
 * @param pooled whether it was taken warm from a pool
 * @param phasesMs how long each phase of its fork took: {@code queue}, {@code spawn}, {@code
 *     restore}, {@code resume}, {@code handshake}, {@code total}
 * @param branchCount the branches taken of it
 * @param branchMode the mode a branch of it has when none is asked for: {@code diff} or {@code
 *     live}
 * @param expiresAt when its time is over
 * @param state {@code running} or {@code paused}
 * @param json all the daemon said, fields unknown here included
 */
public record SandboxInfo(
    String id,
    String snapshotTag,
    Instant createdAt,
    long pid,
    Optional<Integer> memoryLimitMib,
    boolean pooled,
    Optional<ForkProof> proof,
    Map<String, Double> phasesMs,
    int branchCount,
    Optional<String> branchMode,
    Optional<Instant> expiresAt,
    String state,
    Map<String, String> labels,
    JsonObject json) {

  static SandboxInfo from(JsonObject json) {
    return new SandboxInfo(
        json.text("id"),
        json.text("snapshot_tag"),
        Instant.ofEpochSecond(json.number("created_at_unix")),
        json.number("pid"),
        json.optionalNumber("memory_limit_mib").map(Math::toIntExact),
        json.flag("pooled"),
        json.object("proof").map(ForkProof::from),
        json.decimals("phases_ms"),
        json.integer("branch_count"),
        json.optionalText("branch_mode"),
        json.optionalInstant("expires_at_unix"),
        json.optionalText("state").orElse("running"),
        json.pairs("labels"),
        json);
  }

  public boolean paused() {
    return state.equals("paused");
  }

  /** Whom it may reach, when the daemon says. */
  public Optional<EgressPolicy> egress() {
    return json.values().get("egress") instanceof String policy
        ? Optional.of(new EgressPolicy(policy, List.of(), List.of()))
        : json.object("egress").map(EgressPolicy::from);
  }
}
