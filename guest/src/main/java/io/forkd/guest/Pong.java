package io.forkd.guest;

import java.time.Duration;

/**
 * The agent's sign of life: its process id in the guest, how long the guest runs, and the round
 * trip.
 */
public record Pong(long pid, Duration guestUptime, Duration roundTrip) {}
