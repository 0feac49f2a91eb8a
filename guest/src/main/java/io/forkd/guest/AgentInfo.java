package io.forkd.guest;

import java.util.Set;

/**
 * What an agent says about itself and its guest when it is greeted.
 *
 * @param runtimes the runtimes this guest can run, by name
 * @param startedRuntimes those of them that are warm
 */
public record AgentInfo(
    int protocolVersion,
    String agentVersion,
    String arch,
    String kernelRelease,
    Set<String> runtimes,
    Set<String> startedRuntimes) {
  public AgentInfo {
    runtimes = Set.copyOf(runtimes);
    startedRuntimes = Set.copyOf(startedRuntimes);
  }
}
