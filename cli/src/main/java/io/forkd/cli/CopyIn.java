package io.forkd.cli;

import io.forkd.client.FileWrite;
import io.forkd.client.SandboxFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.OptionalLong;

/** Copies from this host into a sandbox. */
record CopyIn(Terminal terminal, SandboxFiles files) {
  Copied copy(CopyPlace source, CopyPlace.Guest target) throws IOException {
    if (!(source instanceof CopyPlace.Host(Path path))) {
      return write(terminal.in(), FileWrite.replacing(), target, "standard input");
    }
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    Path name = Optional.ofNullable(path.toRealPath().getFileName()).orElse(Path.of(""));
    boolean within = target.path().endsWith("/") || GuestFolders.isFolder(files, target.path());
    CopyPlace.Guest place = within ? target.resolve(name.toString()) : target;
    return Files.isDirectory(path) ? folder(path, place) : file(path, place);
  }

  private Copied file(Path path, CopyPlace.Guest place) throws IOException {
    boolean runs = Files.getPosixFilePermissions(path).contains(PosixFilePermission.OWNER_EXECUTE);
    FileWrite how =
        new FileWrite(
            false,
            runs ? Optional.of("0755") : Optional.empty(),
            Files.isRegularFile(path) ? OptionalLong.of(Files.size(path)) : OptionalLong.empty());
    try (InputStream in = Files.newInputStream(path)) {
      return write(in, how, place, path.toString());
    }
  }

  private Copied write(InputStream in, FileWrite how, CopyPlace.Guest place, String what) {
    try (Transfer transfer = new Transfer(terminal, what, how.size())) {
      files.write(place.path(), transfer.counting(in), how);
      return Copied.of(place.id() + ":" + place.path(), transfer);
    }
  }

  private Copied folder(Path path, CopyPlace.Guest place) throws IOException {
    try (Packing packing = Packing.of(path);
        Transfer transfer = new Transfer(terminal, path.toString(), OptionalLong.empty())) {
      files.writeTar(place.path(), transfer.counting(packing.archive()));
      packing.requireComplete();
      return Copied.of(place.id() + ":" + place.path(), transfer);
    }
  }
}
