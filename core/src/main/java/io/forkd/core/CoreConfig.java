package io.forkd.core;

import io.forkd.base.Locations;
import java.nio.file.Path;

/**
 * What the core needs to know of its surroundings.
 *
 * @param recipes the folder of recipe files
 * @param policy what operators decide
 */
public record CoreConfig(Locations locations, Path recipes, Policy policy) {
  public CoreConfig(Locations locations, Path recipes) {
    this(locations, recipes, Policy.DEFAULT);
  }
}
