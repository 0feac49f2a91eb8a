package io.forkd.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Holds every module to the dependencies it may have: they point one way, and few. */
class ModuleDependencyTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.forkd");

  /** Every module, in the order of the root pom, and those it may use. */
  private static final Map<String, Set<String>> ALLOWED =
      Map.ofEntries(
          Map.entry("base", Set.of()),
          Map.entry("linux", Set.of("base")),
          Map.entry("vmm", Set.of("base", "linux")),
          Map.entry("guest", Set.of("base", "linux")),
          Map.entry("image", Set.of("base", "linux")),
          Map.entry("store", Set.of("base", "linux")),
          Map.entry("registry", Set.of("base")),
          Map.entry("core", Set.of("base", "linux", "vmm", "guest", "image", "store", "registry")),
          // The guest's answers are part of core's interface.
          Map.entry("server", Set.of("base", "registry", "core", "guest")),
          Map.entry("client", Set.of("base")),
          Map.entry("bench", Set.of("base", "linux", "client")),
          Map.entry("cli", Set.of("base", "linux", "client", "bench")));

  static List<String> modules() {
    return ALLOWED.keySet().stream().sorted().toList();
  }

  @ParameterizedTest
  @MethodSource("modules")
  void aModuleUsesOnlyTheModulesItMay(String module) {
    Set<String> allowed = ALLOWED.getOrDefault(module, Set.of());
    String[] forbidden =
        modules().stream()
            .filter(other -> !other.equals(module) && !allowed.contains(other))
            .map(other -> "io.forkd." + other + "..")
            .toArray(String[]::new);
    noClasses()
        .that()
        .resideInAPackage("io.forkd." + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void everyPackageBelongsToAModuleThatIsListedHere() {
    List<String> found =
        CLASSES.stream().map(type -> type.getPackageName().split("\\.")[2]).distinct().toList();
    assertThat(found).isSubsetOf(modules());
    // An importer that finds nothing would make every rule above hold.
    assertThat(found).contains("base", "client", "cli", "core");
  }

  @Test
  void onlyTheLinuxModuleCallsNativeCode() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forkd.linux..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.lang.foreign..")
        .check(CLASSES);
  }

  @Test
  void onlyTheRegistryKnowsSql() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forkd.registry..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.sql..", "org.sqlite..")
        .check(CLASSES);
  }

  @Test
  void onlyTheHttpPackageOfTheServerKnowsJetty() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.forkd.server.http..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("org.eclipse.jetty..")
        .check(CLASSES);
  }

  @Test
  void theCoreAndWhatItRestsOnKnowNoHttpServer() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.forkd.core..", "io.forkd.vmm..", "io.forkd.guest..", "io.forkd.store..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net.http..", "com.sun.net.httpserver..", "org.eclipse.jetty..")
        .allowEmptyShould(true)
        .check(CLASSES);
  }

  @Test
  void theCommandLineStartsWithoutDataBindingAndLogging() {
    List<String> slow = new ArrayList<>(Arrays.asList("tools.jackson.databind..", "org.slf4j.."));
    noClasses()
        .that()
        .resideInAnyPackage("io.forkd.cli..", "io.forkd.client..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(slow.toArray(String[]::new))
        .check(CLASSES);
  }
}
