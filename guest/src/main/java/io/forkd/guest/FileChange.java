package io.forkd.guest;

import java.util.Optional;

/** What is to be changed of a file; owner and group by name or number. */
public record FileChange(
    Optional<Integer> mode, Optional<String> owner, Optional<String> group, boolean recursive) {}
