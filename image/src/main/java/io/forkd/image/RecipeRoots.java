package io.forkd.image;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.base.Progress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** Installs a recipe's packages into a folder with mmdebstrap and makes the folder's disk image. */
final class RecipeRoots {
  private static final String FORM = "2";
  private static final Duration BUILD = Duration.ofMinutes(30);
  private static final List<String> UNREAD =
      List.of("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*");

  private final Cache cache;
  private final Arch arch;

  RecipeRoots(Cache cache, Arch arch) {
    this.cache = cache;
    this.arch = arch;
  }

  /** The cache entry that holds {@code root/}, {@code disk} and {@code sha256}. */
  Path obtain(Recipe recipe, Progress progress) {
    String suite = recipe.suite().orElseGet(() -> Host.current().codename());
    return cache.obtain(
        "roots", key(recipe, suite), folder -> make(recipe, suite, folder, progress));
  }

  private String key(Recipe recipe, String suite) {
    Hashes key = new Hashes().add(FORM).add(arch.toString()).add(suite);
    new TreeSet<>(recipe.packages()).forEach(key::add);
    return key.hex();
  }

  private void make(Recipe recipe, String suite, Path folder, Progress progress)
      throws IOException {
    if (!Integer.valueOf(0).equals(Files.getAttribute(Path.of("/proc/self"), "unix:uid"))) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED,
          "Installing the packages of the recipe %s needs root, and forkd runs as another user."
                  .formatted(recipe.name())
              + " Next: run it as root once, or give a root filesystem image with --rootfs.");
    }
    progress.begin(
        "rootfs",
        "Installing %s on %s (about a minute)"
            .formatted(
                recipe.packages().isEmpty()
                    ? "the essential packages"
                    : String.join(", ", recipe.packages()),
                suite));
    Path root = folder.resolve("root");
    install(recipe, suite, folder, root);
    tidy(root);
    new UserAccount(root, UserAccount::chown).add();
    progress.begin("disk", "Writing the root filesystem image");
    Path disk = folder.resolve("disk");
    Ext4.make(root, disk);
    Files.writeString(folder.resolve("sha256"), Hashes.ofFile(disk) + "\n");
  }

  private void install(Recipe recipe, String suite, Path folder, Path root) throws IOException {
    Path sources = folder.resolve("forkd.sources");
    Files.writeString(sources, sources(suite));
    Path aptConf = folder.resolve("apt.conf");
    Files.write(aptConf, aptSettings());
    Command command = contained().with("--mode=root", "--format=directory", "--variant=essential");
    command.with("--architectures=" + arch.debianName(), "--aptopt=" + aptConf);
    command.with("--dpkgopt=force-unsafe-io");
    UNREAD.forEach(path -> command.with("--dpkgopt=path-exclude=" + path));
    // Packages whose programs have alternatives, such as a JDK, put links to manuals here or fail.
    command.with("--essential-hook=mkdir -p \"$1/usr/share/man/man1\"");
    if (!recipe.packages().isEmpty()) {
      command.with("--include=" + String.join(",", recipe.packages()));
    }
    command.with("--skip=output/dev", suite, root, sources).within(BUILD).guarded().run();
    Files.delete(sources);
    Files.delete(aptConf);
  }

  /**
   * mmdebstrap in namespaces of its own where the host allows it, so that its mounts and processes
   * end with it even when it is killed.
   */
  private static Command contained() {
    List<String> namespaces =
        List.of("--mount", "--propagation", "private", "--pid", "--fork", "--kill-child");
    Path mmdebstrap = Tool.MMDEBSTRAP.require();
    boolean allowed = Command.of(Tool.UNSHARE).with(namespaces).with("true").succeeds();
    return allowed
        ? Command.of(Tool.UNSHARE).with(namespaces).with(mmdebstrap).named(Tool.MMDEBSTRAP)
        : Command.of(Tool.MMDEBSTRAP);
  }

  private static String sources(String suite) {
    Optional<String> known = knownSources(suite);
    if (known.isEmpty()) {
      // A fresh machine or container has not read its archive's index yet.
      Command.of(Tool.APT_GET, "-q", "update").within(Duration.ofMinutes(10)).run();
      known = knownSources(suite);
    }
    return known.orElseThrow(
        () ->
            new ForkdException(
                ErrorCode.HOST_FAILED,
                "apt knows no Debian or Ubuntu archive of the release '%s'. Next: add it to"
                        .formatted(suite)
                    + " /etc/apt/sources.list.d, or name another suite in the recipe."));
  }

  private static Optional<String> knownSources(String suite) {
    return AptSources.forSuite(
        suite, Command.of(Tool.APT_GET, "indextargets").run(), RecipeRoots::readFile);
  }

  private static String readFile(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (IOException e) {
      return "";
    }
  }

  private static List<String> aptSettings() {
    List<String> settings =
        new ArrayList<>(
            AptSources.reachability(Command.of(Tool.APT_CONFIG, "dump", "Acquire").run()));
    settings.add("Acquire::Languages \"none\";");
    settings.add("APT::Install-Recommends \"false\";");
    settings.add("APT::Sandbox::User \"root\";");
    return settings;
  }

  /** Removes what belongs to the build and not to the guest. */
  private static void tidy(Path root) throws IOException {
    for (String leftover :
        List.of(
            "etc/apt/apt.conf.d/99mmdebstrap",
            "var/log/apt",
            "var/log/dpkg.log",
            "var/log/bootstrap.log")) {
      Trees.delete(root.resolve(leftover));
    }
    // The agent sets these in every child; what the build host has here would be shared by all.
    replace(root.resolve("etc/hostname"), "forkd\n");
    replace(root.resolve("etc/machine-id"), "");
    replace(root.resolve("etc/resolv.conf"), "");
  }

  private static void replace(Path file, String text) throws IOException {
    Files.deleteIfExists(file);
    Files.writeString(file, text);
  }
}
