package io.forkd.client;

import static io.forkd.client.Requests.segment;

import java.util.List;
import java.util.Optional;

/** Calls about workspaces. */
public final class Workspaces {
  private static final String ALL = "/v1/workspaces";

  private final Requests requests;

  Workspaces(Requests requests) {
    this.requests = requests;
  }

  /** Makes a workspace and starts its sandbox. */
  public WorkspaceInfo create(WorkspaceRequest request) {
    return WorkspaceInfo.from(
        Json.parseObject(requests.create(ALL, request.toJson(), ForkdClient.LONG).text()));
  }

  public List<WorkspaceInfo> list() {
    return requests.list(ALL).stream().map(WorkspaceInfo::from).toList();
  }

  public WorkspaceInfo get(String name) {
    return WorkspaceInfo.from(requests.get(of(name)));
  }

  /** Ends its sandbox and removes its state. */
  public void delete(String name) {
    requests.call("DELETE", of(name), Optional.empty(), ForkdClient.LONG);
  }

  /** Keeps its state and ends its sandbox; one that is suspended stays so. */
  public WorkspaceInfo suspend(String name) {
    return move(name, "/suspend");
  }

  /** Starts its sandbox from its last state; one that runs goes on. */
  public WorkspaceInfo resume(String name) {
    return move(name, "/resume");
  }

  private WorkspaceInfo move(String name, String verb) {
    return WorkspaceInfo.from(
        requests.post(of(name) + verb, JsonObject.ofPairs(), ForkdClient.LONG));
  }

  private static String of(String name) {
    return ALL + "/" + segment(name);
  }
}
