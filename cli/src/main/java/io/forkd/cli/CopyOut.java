package io.forkd.cli;

import io.forkd.client.FileInfo;
import io.forkd.client.SandboxFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalLong;

/** Copies out of a sandbox to this host. */
record CopyOut(Terminal terminal, SandboxFiles files) {
  Copied copy(CopyPlace.Guest source, CopyPlace target) throws IOException {
    FileInfo info = files.stat(source.path());
    boolean folder = info.isFolder() || GuestFolders.isFolder(files, source.path());
    OptionalLong size = folder ? OptionalLong.empty() : OptionalLong.of(info.size());
    try (Transfer transfer = new Transfer(terminal, source.path(), size)) {
      if (!(target instanceof CopyPlace.Host(Path path))) {
        OutputStream out = transfer.counting(new StrictOutput(terminal.out()));
        copyBytes(source, folder, out);
        return Copied.of("-", transfer);
      }
      Path place = Files.isDirectory(path) ? path.resolve(source.name()) : path;
      if (folder) {
        List<String> skipped = folder(source, place, transfer);
        return new Copied(place.toString(), transfer.bytes(), transfer.seconds(), skipped);
      }
      file(source, info, place, transfer);
      return Copied.of(place, transfer);
    }
  }

  private void copyBytes(CopyPlace.Guest source, boolean folder, OutputStream out) {
    if (folder) {
      files.readTar(source.path(), out);
    } else {
      files.read(source.path(), out);
    }
  }

  private void file(CopyPlace.Guest source, FileInfo info, Path place, Transfer transfer)
      throws IOException {
    try (OutputStream out = Files.newOutputStream(place)) {
      copyBytes(source, false, transfer.counting(out));
    }
    if (info.mode().matches("0?[1357][0-7]{2}") && Files.isRegularFile(place)) {
      Files.setPosixFilePermissions(place, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private List<String> folder(CopyPlace.Guest source, Path place, Transfer transfer)
      throws IOException {
    try (InputStream archive = files.openTar(source.path())) {
      return new Unpacking(place).unpack(transfer.counting(archive));
    }
  }
}
