"""Standard output and error of the Python kernel: kept while code is evaluated, passed on while it is executed."""

import codecs
import contextlib
import fcntl
import io
import json
import os
import select
import struct
import sys
import threading
import warnings

OUTPUT_LIMIT = 8 * 1024 * 1024
DROPPED = "\n[forkd: the rest was dropped]"
F_ADD_SEALS = 1033
F_SEAL_GROW = 0x0004
F_SETPIPE_SZ = 1031
PIPE_SIZE = 1024 * 1024
CHUNK = 32 * 1024
EVENT = 0x80000000


def bounded(text, limit):
    """Text cut to a limit with a word about it, and whether it was cut."""
    return (text, False) if len(text) <= limit else (text[:limit] + DROPPED, True)


class Capture(io.RawIOBase):
    """A descriptor whose output is kept up to the limit; what exceeds it is dropped and remembered."""

    def __init__(self, fd):
        memory = os.memfd_create("forkd-output-%d" % fd, os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(memory, OUTPUT_LIMIT)
        fcntl.fcntl(memory, F_ADD_SEALS, F_SEAL_GROW)
        os.dup2(memory, fd)
        os.close(memory)
        self.fd = fd
        self.overflowed = False

    def writable(self):
        return True

    def fileno(self):
        return self.fd

    def again(self):
        """The same for a stream that user code closed; the descriptor is still there."""
        fresh = Capture.__new__(Capture)
        fresh.fd, fresh.overflowed = self.fd, False
        return fresh

    def write(self, data):
        size = len(data)
        while len(data) > 0:
            try:
                data = data[os.write(self.fd, data) :]
            except PermissionError:
                self.overflowed = True
                break
        return size

    def begin(self):
        os.lseek(self.fd, 0, os.SEEK_SET)
        self.overflowed = False

    def taken(self):
        size = os.lseek(self.fd, 0, os.SEEK_CUR)
        if size == 0:
            return "", False
        text = os.pread(self.fd, min(size, OUTPUT_LIMIT), 0).decode("utf-8", "replace")
        overflowed = self.overflowed or size >= OUTPUT_LIMIT
        return (text + DROPPED if overflowed else text), overflowed


class Text(io.TextIOWrapper):
    """A text stream that holds nothing back while code is executed: somebody may be watching."""

    live = False

    def __init__(self, capture):
        super().__init__(io.BufferedWriter(capture), "utf-8", "backslashreplace", line_buffering=True)

    def write(self, text):
        size = super().write(text)
        if Text.live:
            self.flush()
        return size


class Pipe:
    """What a standard stream is while code is executed, and what of it has been read."""

    def __init__(self, name, fd):
        self.name, self.fd = name, fd
        self.kept = os.dup(fd)
        self.source, self.sink = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(self.source, False)
        try:
            fcntl.fcntl(self.sink, F_SETPIPE_SZ, PIPE_SIZE)
        except OSError:
            pass  # a smaller one holds up its writers sooner
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def read(self):
        """Text that has come, or None when nothing has."""
        try:
            data = os.read(self.source, CHUNK)
        except BlockingIOError:
            return None
        return self.decoder.decode(data)


class Live:
    """The events of code that is executed; a thread passes on what it and its children write."""

    def __init__(self, channel):
        self.channel = channel
        self.lock = threading.RLock()
        self.running = False
        self.shields = 0
        self.interrupted = False
        self.pipes = [Pipe("stdout", 1), Pipe("stderr", 2)]
        self.pid = os.getpid()
        # The thread below is no reason to warn people who fork: a forked child does without it.
        warnings.filterwarnings("ignore", message=".*multi-threaded.*fork", category=DeprecationWarning)
        threading.Thread(target=self.follow, name="forkd output", daemon=True).start()

    @contextlib.contextmanager
    def shield(self):
        """Keeps an interrupt out of the middle of a message: it comes right after."""
        mine = threading.current_thread() is threading.main_thread()
        self.shields += mine
        try:
            yield
        finally:
            self.shields -= mine
        if mine and self.shields == 0 and self.interrupted:
            self.interrupted = False
            raise KeyboardInterrupt

    def follow(self):
        poll = select.poll()
        for pipe in self.pipes:
            poll.register(pipe.source, select.POLLIN)
        while True:
            poll.poll()
            self.drain(1)

    def drain(self, rounds=64):
        """Passes on what is in the pipes; what comes while no code is executed is nobody's."""
        with self.lock:
            for _ in range(rounds):
                texts = [(pipe.name, pipe.read()) for pipe in self.pipes]
                for name, text in texts:
                    if text and self.running:
                        self.send({"type": name, "text": text})
                if all(text is None for _, text in texts):
                    return

    def send(self, event):
        body = json.dumps(event, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
        with self.lock:
            if self.running and os.getpid() == self.pid:
                self.channel.sendall(struct.pack("<I", len(body) | EVENT) + body)

    def tell(self, event):
        """Sends an event behind all that was written before it."""
        if os.getpid() != self.pid:
            return
        flush_streams()
        with self.shield(), self.lock:
            self.drain()
            self.send(event)

    def begin(self, count):
        with self.lock:
            self.running = Text.live = True
            self.interrupted = False
            for pipe in self.pipes:
                os.dup2(pipe.sink, pipe.fd)
            self.send({"type": "begin", "count": count})

    def end(self):
        flush_streams()
        with self.lock:
            self.drain()
            for pipe in self.pipes:
                os.dup2(pipe.kept, pipe.fd)
                rest = pipe.decoder.decode(b"", True)
                pipe.decoder.reset()
                if rest:
                    self.send({"type": pipe.name, "text": rest})
            self.running = Text.live = False


def flush_streams():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass  # user code may have put anything there, or closed it


