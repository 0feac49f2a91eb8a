package io.forkd.bench;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import io.forkd.linux.Arch;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The initrd of a VM that does nothing but the workload: forkd's own, for the kernel modules in it,
 * and Perl from the guest's root, which every Debian has and which can load them and mount the disk
 * without further programs. The last thing it does is to become the workload.
 */
final class ColdBootDisk {
  static final String INIT = "/bench-init";

  private static final List<String> LOADERS =
      List.of("lib64/ld-linux-x86-64.so.2", "lib/ld-linux-aarch64.so.1");
  private static final List<String> LIBRARIES =
      List.of("libc.so.6", "libm.so.6", "libcrypt.so.1", "libdl.so.2", "libpthread.so.0");

  private ColdBootDisk() {}

  static byte[] make(Path forkdInitrd, Path root) {
    try {
      ByteArrayOutputStream both = new ByteArrayOutputStream();
      both.write(Files.readAllBytes(forkdInitrd));
      both.write(perl(root));
      return both.toByteArray();
    } catch (IOException e) {
      throw new ForkdException(
          ErrorCode.HOST_FAILED, "The initrd of a cold boot cannot be made: %s".formatted(e), e);
    }
  }

  private static byte[] perl(Path root) throws IOException {
    CpioWriter cpio = new CpioWriter();
    for (String folder : List.of("usr", "usr/bin", "lib", "lib64", "mnt")) {
      cpio.folder(folder);
    }
    cpio.program("usr/bin/perl", inside(root, root.resolve("usr/bin/perl")));
    for (String loader : LOADERS) {
      Path file = root.resolve(loader);
      if (Files.isSymbolicLink(file) || Files.exists(file)) {
        cpio.program(loader, inside(root, file));
      }
    }
    for (Path library : libraries(root)) {
      // The loader looks in /lib as its last resort, whatever the distribution's own folders.
      cpio.program("lib/" + library.getFileName(), inside(root, library));
    }
    return cpio.program(INIT.substring(1), script().getBytes(StandardCharsets.UTF_8)).finish();
  }

  private static List<Path> libraries(Path root) throws IOException {
    try (Stream<Path> folders = Files.list(root.resolve("usr/lib"))) {
      return folders
          .filter(folder -> folder.getFileName().toString().contains("-linux-gnu"))
          .flatMap(folder -> LIBRARIES.stream().map(folder::resolve))
          .filter(file -> Files.isSymbolicLink(file) || Files.exists(file))
          .toList();
    }
  }

  /** The content of a file of the root, whose links mean paths inside it. */
  static byte[] inside(Path root, Path file) throws IOException {
    Path now = file;
    for (int hops = 0; Files.isSymbolicLink(now) && hops < 20; hops++) {
      Path target = Files.readSymbolicLink(now);
      now =
          target.isAbsolute()
              ? root.resolve(target.toString().substring(1))
              : now.resolveSibling(target);
    }
    return Files.readAllBytes(now);
  }

  static String script() {
    return """
        #!/usr/bin/perl
        $| = 1;
        my ($mount, $load) = (%d, %d);
        sub mnt {
          my ($source, $target, $type, $flags) = @_;
          my $none = '';
          syscall($mount, $source, $target, $type, $flags + 0, $none) == 0 or print "mount $target: $!\\n";
        }
        mnt('dev', '/dev', 'devtmpfs', 0);
        open(my $list, '<', '/forkd/modules.list');
        while (my $name = <$list>) {
          chomp $name;
          open(my $module, '<', "/forkd/modules/$name") or next;
          my $none = '';
          syscall($load, fileno($module), $none, 0) == 0 or syscall($load, fileno($module), $none, 4);
        }
        for (1 .. 5000) { last if -b '/dev/vda'; select(undef, undef, undef, 0.002); }
        mnt('/dev/vda', '/mnt', 'ext4', 1);
        mnt('dev', '/mnt/dev', 'devtmpfs', 0);
        mnt('proc', '/mnt/proc', 'proc', 0);
        chroot('/mnt') and chdir('/') or print "chroot: $!\\n";
        %%ENV = (%s);
        exec(%s) or print "exec: $!\\n";
        """
        .formatted(
            Arch.host() == Arch.X86_64 ? 165 : 40,
            Arch.host() == Arch.X86_64 ? 313 : 273,
            Workload.ENVIRONMENT.entrySet().stream()
                .map(entry -> quote(entry.getKey()) + " => " + quote(entry.getValue()))
                .sorted()
                .collect(Collectors.joining(", ")),
            Workload.PROGRAM.stream().map(ColdBootDisk::quote).collect(Collectors.joining(", ")));
  }

  private static String quote(String text) {
    return Arrays.stream(text.split("'", -1)).collect(Collectors.joining("\\'", "'", "'"));
  }
}
