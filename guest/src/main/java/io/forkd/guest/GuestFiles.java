package io.forkd.guest;

import io.forkd.base.ErrorCode;
import io.forkd.base.ForkdException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The files that make a guest a forkd guest, as they go into its initrd. */
public final class GuestFiles {
  private static final List<String> RUNTIMES =
      List.of(
          "python.py",
          "forkd_errors.py",
          "forkd_forks.py",
          "forkd_output.py",
          "forkd_show.py",
          "forkd_wire.py",
          "javascript.js",
          "JavaKernel.java");

  private GuestFiles() {}

  /** The agent, a static executable for the machine forkd was built on: {@code /init}. */
  public static byte[] agentBinary() {
    return resource("forkd-agent");
  }

  /** The files of the runtime kernels by name, for {@code /forkd/runtimes/}. */
  public static Map<String, byte[]> runtimes() {
    return RUNTIMES.stream().collect(Collectors.toMap(n -> n, n -> resource("runtimes/" + n)));
  }

  private static byte[] resource(String name) {
    try (InputStream in = GuestFiles.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new ForkdException(
            ErrorCode.INTERNAL,
            "%s is missing from forkd's own jar: build forkd again with ./mvnw package."
                .formatted(name));
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
