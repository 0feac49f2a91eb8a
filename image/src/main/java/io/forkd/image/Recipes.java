package io.forkd.image;

import io.forkd.base.ForkdException;
import io.forkd.base.Printable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Finds and reads recipe files: {@code NAME.toml} in a folder, or any path. */
public final class Recipes {
  private static final Pattern NAME = Pattern.compile("[a-z0-9][a-z0-9._-]{0,62}");
  private static final String ENDING = ".toml";
  private static final int LARGEST = 256 << 10;

  private Recipes() {}

  /**
   * Reads one recipe.
   *
   * @param nameOrPath a name in the folder, or a path when it has a slash or ends in .toml
   */
  public static Recipe load(Path recipesDir, String nameOrPath) {
    boolean path = nameOrPath.contains("/") || nameOrPath.endsWith(ENDING);
    if (!path && !NAME.matcher(nameOrPath).matches()) {
      throw ForkdException.badRequest(
          "'%s' is not a recipe name: use a-z 0-9 . _ - and start with a letter or digit, or give"
              + " the path of a .toml file.",
          Printable.shorten(nameOrPath));
    }
    Path file = path ? Path.of(nameOrPath) : recipesDir.resolve(nameOrPath + ENDING);
    if (!Files.isRegularFile(file)) {
      throw missing(recipesDir, nameOrPath, path);
    }
    return read(file);
  }

  /** The names of the recipes in a folder, in order. */
  public static List<String> names(Path recipesDir) {
    if (!Files.isDirectory(recipesDir)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(recipesDir)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(ENDING))
          .map(name -> name.substring(0, name.length() - ENDING.length()))
          .filter(name -> NAME.matcher(name).matches())
          .sorted()
          .toList();
    } catch (IOException e) {
      throw ForkdException.badRequest("The recipes in %s cannot be listed: %s", recipesDir, e);
    }
  }

  private static Recipe read(Path file) {
    String fileName = file.getFileName().toString();
    String name =
        fileName.endsWith(ENDING)
            ? fileName.substring(0, fileName.length() - ENDING.length())
            : fileName;
    if (!NAME.matcher(name).matches()) {
      throw ForkdException.badRequest(
          "The recipe file %s is not named like a recipe: use a-z 0-9 . _ - and .toml.", file);
    }
    try {
      if (Files.size(file) > LARGEST) {
        throw ForkdException.badRequest(
            "The recipe %s has more than %d bytes, which no recipe needs.", file, LARGEST);
      }
      byte[] content = Files.readAllBytes(file);
      return new RecipeReader(file.toString(), new String(content, StandardCharsets.UTF_8))
          .read(name, Hashes.of(content));
    } catch (IOException e) {
      throw ForkdException.badRequest("The recipe %s cannot be read: %s", file, e);
    }
  }

  private static ForkdException missing(Path folder, String asked, boolean path) {
    return path
        ? ForkdException.badRequest("There is no recipe file %s.", Printable.shorten(asked))
        : ForkdException.badRequest(
            "There is no recipe '%s' in %s; there are: %s.",
            asked, folder, String.join(", ", names(folder)));
  }
}
