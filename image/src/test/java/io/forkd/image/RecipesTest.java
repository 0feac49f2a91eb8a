package io.forkd.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class RecipesTest {
  @TempDir Path folder;

  @Test
  void everyKeyIsRead() throws IOException {
    write(
        """
        description = "A test"
        packages = ["python3", "g++", "libc6-dev"]
        suite = "trixie"
        runtime = "python"
        warmup = "import os"
        rehearsal = "os.getpid()"
        commands = [["true"], ["sh", "-c", "exit 0"]]
        memory_mib = 640
        vcpus = 2
        [env]
        LANG = "C.UTF-8"
        """);

    Recipe recipe = Recipes.load(folder, "test");

    assertThat(recipe)
        .isEqualTo(
            new Recipe(
                "test",
                "A test",
                List.of("python3", "g++", "libc6-dev"),
                Optional.of("trixie"),
                Optional.of("python"),
                Optional.of("import os"),
                Optional.of("os.getpid()"),
                List.of(List.of("true"), List.of("sh", "-c", "exit 0")),
                Optional.of(640),
                Optional.of(2),
                Map.of("LANG", "C.UTF-8"),
                Hashes.ofFile(folder.resolve("test.toml"))));
  }

  @Test
  void everyKeyHasADefault() throws IOException {
    write("");

    Recipe recipe = Recipes.load(folder, "test");

    assertThat(recipe.description()).isEqualTo("test");
    assertThat(recipe.packages()).isEmpty();
    assertThat(recipe.suite()).isEmpty();
    assertThat(recipe.runtime()).isEmpty();
    assertThat(recipe.memoryMib()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          pakages = ["x"]                      | unknown key 'pakages'
          packages = ["Python"]                | names the package 'Python', which is not
          packages = ["a"]                     | names the package 'a', which is not
          packages = ["--hook=rm"]             | names the package '--hook=rm', which is not
          packages = ["python3,zsh"]           | names the package 'python3,zsh', which is not
          packages = "python3"                 | 'packages' of the wrong type; it must be a list of strings
          packages = [1]                       | 'packages' of the wrong type; it must be text
          suite = "../x"                       | invalid suite '../x'
          runtime = "py/thon"                  | invalid runtime 'py/thon'
          warmup = "x"                         | 'warmup' or 'rehearsal' code but no 'runtime'
          commands = ["ls"]                    | 'commands' of the wrong type
          commands = [[]]                      | an empty command
          memory_mib = 1                       | 'memory_mib' = 1; it must be 128 to 1048576
          memory_mib = 99999999999             | it must be 128 to 1048576
          memory_mib = "512"                   | 'memory_mib' of the wrong type; it must be a whole number
          vcpus = 1.5                          | 'vcpus' of the wrong type
          env = {"A-B" = "x"}                  | sets 'A-B', which is no name
          env = {A = 1}                        | 'env.A' of the wrong type; it must be text
          packages = [                         | is not TOML
          """)
  void aMistakeIsRefusedByName(String toml, String complaint) throws IOException {
    write(toml);

    assertRefused("test", complaint);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "Python", ".hidden", "-x", "a b", "näme"})
  void aNameThatIsNoneIsRefused(String name) {
    assertRefused(name, "is not a recipe name");
  }

  @Test
  void anUnknownRecipeIsRefusedNamingThoseThereAre() throws IOException {
    write("");

    assertRefused("nope", "There is no recipe 'nope' in " + folder + "; there are: test.");
    assertRefused("./nope.toml", "There is no recipe file ./nope.toml.");
  }

  @Test
  void aRecipeIsFoundByItsPath() throws IOException {
    Path file = write("vcpus = 3");

    assertThat(Recipes.load(Path.of("/nowhere"), file.toString()).vcpus()).contains(3);
  }

  @Test
  void theRecipesOfThisProjectAreValid() {
    Path recipes = Path.of("..", "recipes");

    assertThat(Recipes.names(recipes)).contains("base", "python-numpy");
    Recipes.names(recipes).forEach(name -> Recipes.load(recipes, name));
    assertThat(Recipes.load(recipes, "python-numpy").runtime()).contains("python");
  }

  private Path write(String toml) throws IOException {
    return Files.writeString(folder.resolve("test.toml"), toml);
  }

  private void assertRefused(String name, String complaint) {
    assertThatThrownBy(() -> Recipes.load(folder, name))
        .isInstanceOfSatisfying(
            ForkdException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_REQUEST))
        .hasMessageContaining(complaint);
  }
}
