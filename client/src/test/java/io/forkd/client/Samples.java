package io.forkd.client;

/** What a daemon might have answered, for tests that have none. */
public final class Samples {
  private Samples() {}

  public static SnapshotInfo snapshot(String json) {
    return SnapshotInfo.from(Json.parseObject(json));
  }

  public static SandboxInfo sandbox(String json) {
    return SandboxInfo.from(Json.parseObject(json));
  }

  public static Comparison comparison(String json) {
    return Comparison.from(Json.parseObject(json));
  }
}
