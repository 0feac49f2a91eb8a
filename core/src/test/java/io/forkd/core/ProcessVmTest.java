package io.forkd.core;

import static org.assertj.core.api.Assertions.assertThat;

import io.forkd.guest.ProcessEnd;
import io.forkd.guest.ProcessEvent;
import io.forkd.guest.ProcessRef;
import io.forkd.guest.ProcessSpec;
import io.forkd.guest.ProcessStream;
import io.forkd.guest.ProcessTable;
import io.forkd.guest.TerminalSize;
import io.forkd.image.GuestImage;
import io.forkd.vmm.Vmm;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Processes of a real guest: they are its own, in every fork of it too. */
@Tag("vm")
@Timeout(600)
class ProcessVmTest {
  private static final ProcessRef COUNTER = new ProcessRef.Tagged("counter");

  private final Vmm vmm = Host.detect().openVmm();
  private final GuestImage image = BareVm.image();

  @Test
  void aProcessGoesOnInTheChildOfAForkAndIsFoundThere() throws Exception {
    try (BareVm parent = BareVm.boot(vmm, image, Optional.empty())) {
      ProcessSpec spec = spec("echo begun; read x; echo heard $x", Optional.empty(), "");
      ProcessStream started = parent.agent().processes().start(spec);
      assertThat(until(started, "begun\n")).isEqualTo("begun\n");
      try (BareVm.Saved saved = parent.save();
          BareVm child = BareVm.restore(vmm, image, saved, Optional.empty())) {
        ProcessTable processes = child.agent().processes();
        assertThat(processes.list().getFirst().pid()).isEqualTo(started.pid());
        ProcessStream again = processes.attach(COUNTER, true);
        try (OutputStream input = processes.input(COUNTER)) {
          input.write("the child\n".getBytes(StandardCharsets.UTF_8));
        }
        assertThat(until(again, "child\n")).isEqualTo("begun\nheard the child\n");
        assertThat(again.next(BareVm.WAIT))
            .contains(new ProcessEvent.Ended(new ProcessEnd.Exited(0)));
      }
    }
  }

  @Test
  void aTerminalAndAnotherUserAreThere() throws Exception {
    try (BareVm guest = BareVm.boot(vmm, image, Optional.empty())) {
      ProcessTable processes = guest.agent().processes();
      Optional<TerminalSize> size = Optional.of(new TerminalSize(90, 30));
      ProcessStream stream =
          processes.start(spec("tty; stty size; id -un; echo $HOME; pwd", size, "nobody"));
      assertThat(until(stream, "/\r\n"))
          .isEqualTo("/dev/pts/0\r\n30 90\r\nnobody\r\n/nonexistent\r\n/\r\n");
      ProcessStream root = processes.start(spec("id -un; echo $HOME; pwd", Optional.empty(), ""));
      assertThat(until(root, "root\n/root\n/root\n")).isEqualTo("root\n/root\n/root\n");
      assertThat(processes.list().getLast().user()).isEqualTo("root");
    }
  }

  private static ProcessSpec spec(String script, Optional<TerminalSize> size, String user) {
    return new ProcessSpec(
        List.of("sh", "-c", script),
        Map.of(),
        Optional.empty(),
        Optional.of(user).filter(it -> !it.isEmpty()),
        true,
        size,
        Optional.of("counter"),
        Optional.empty());
  }

  private static String until(ProcessStream stream, String text) throws InterruptedException {
    ByteArrayOutputStream heard = new ByteArrayOutputStream();
    while (!heard.toString(StandardCharsets.UTF_8).endsWith(text)) {
      ProcessEvent event = stream.next(BareVm.WAIT).orElseThrow();
      assertThat(event).as("after " + heard).isInstanceOf(ProcessEvent.Output.class);
      heard.writeBytes(((ProcessEvent.Output) event).bytes());
    }
    return heard.toString(StandardCharsets.UTF_8);
  }
}
