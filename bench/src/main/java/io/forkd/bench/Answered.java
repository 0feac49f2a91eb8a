package io.forkd.bench;

/**
 * Children of a branch that was taken of a running sandbox, until they answer.
 *
 * @param depth how many branches lie between the snapshot and the sandbox that was branched
 * @param chainDepth how many ancestors the children's snapshot has, as the daemon says
 * @param children how many there were at a time
 * @param wallMs from the request to the answer of the last child
 * @param callMs of it until the daemon named the children
 * @param pauseMs how long the sandbox stood still, as the daemon says
 */
record Answered(
    int depth, int chainDepth, int children, Samples wallMs, Samples callMs, Samples pauseMs) {}
