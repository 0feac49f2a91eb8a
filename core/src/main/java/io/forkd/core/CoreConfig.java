package io.forkd.core;

import io.forkd.base.Locations;
import io.forkd.registry.Registry;
import java.nio.file.Path;

/**
 * What the core needs to know of its surroundings.
 *
 * @param recipes the folder of recipe files
 * @param policy what operators decide
 * @param registry stays the caller's to close, after the core
 */
public record CoreConfig(Locations locations, Path recipes, Policy policy, Registry registry) {}
