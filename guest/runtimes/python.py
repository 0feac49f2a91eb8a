"""The Python runtime kernel of a forkd guest: answers one request at a time and keeps its state.

Descriptor 3 carries requests and answers, each a little-endian u32 length and JSON. Descriptor 4 carries
reseeds after a fork; a signal announces them, so that they are served in the middle of a request too.

A request is evaluated, and all it did told in the answer; or, with the mode "execute", it is told as it
happens in events: messages whose length has its top bit set. While code is evaluated, standard output and
error are memory files of a fixed size: bounded, shared with child processes, and read without a thread.
While it is executed they are pipes, which a thread reads.
"""

import ast
import builtins
import json
import linecache
import os
import re
import signal
import socket
import struct
import sys
import types

sys.dont_write_bytecode = True  # not into the folder of these files
import forkd_output
import forkd_show
from forkd_errors import as_failure, one_line, user_traceback
from forkd_forks import Forks
from forkd_output import OUTPUT_LIMIT, Capture, Text, bounded
from forkd_wire import encode, receive, receive_only, send

sys.dont_write_bytecode = False

FORK_SIGNAL = 50
SOURCES_KEPT = 256
IS_COROUTINE = 0x80
AWAIT = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
SHELL_LINE = re.compile(r"^([ \t]*)!(.+)$", re.MULTILINE)


def no_input(prompt=""):
    raise EOFError("code in a sandbox has no standard input: give it what it needs in the code or in a file")


class Kernel:
    """The namespace of user code and the evaluation of code in it."""

    def __init__(self, channel):
        self.channel = channel
        self.live = None
        self.loop = None
        self.figures = forkd_show.Figures(self.display)
        sys.meta_path.insert(0, self.figures)
        os.environ.setdefault("MPLBACKEND", "agg")
        builtins.display, builtins.input = self.display, no_input
        self.main = types.ModuleType("__main__")
        self.main.__builtins__ = __builtins__
        self.forks = Forks()
        self.main.forkd = self.forks.module
        self.forks.module.shell = self.shell
        sys.modules["__main__"] = self.main
        self.names = vars(self.main)
        self.stdout, self.stderr = Capture(1), Capture(2)
        sys.stdout, sys.stderr = Text(self.stdout), Text(self.stderr)
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
        self.pid = os.getpid()
        self.evaluating = False
        self.busy = False
        self.interrupted = False
        self.count = 0
        self.sources = []
        sys.argv = [""]
        sys.path[0] = ""

    def warm(self):
        """Imports what nearly everybody needs, when the image has it."""
        try:
            import numpy
        except ImportError:
            return
        self.main.numpy = self.main.np = numpy

    def remember(self, code):
        """Names a piece of code so that tracebacks can show its lines."""
        self.count += 1
        name = "<eval %d>" % self.count
        linecache.cache[name] = (len(code), None, code.splitlines(True), name)
        self.sources.append(name)
        if len(self.sources) > SOURCES_KEPT:
            linecache.cache.pop(self.sources.pop(0), None)
        return name

    def run(self, code):
        """The value of the last expression, or None."""
        name = self.remember(code)
        try:
            expression = compile(code, name, "eval", dont_inherit=True)
        except SyntaxError:
            expression = None
        if expression is not None:
            return eval(expression, self.names)
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        last = None
        if tree.body and isinstance(tree.body[-1], ast.Expr):
            last = ast.Expression(tree.body.pop().value)
        exec(compile(tree, name, "exec", dont_inherit=True), self.names)
        return None if last is None else eval(compile(last, name, "eval", dont_inherit=True), self.names)

    def begin(self):
        """From here on code can be interrupted; also by what came a moment too soon."""
        self.evaluating = True
        if self.interrupted:
            raise KeyboardInterrupt

    def interrupt(self):
        if self.evaluating and not (self.live is not None and self.live.shields):
            raise KeyboardInterrupt
        if self.evaluating:
            self.live.interrupted = True
        self.interrupted = self.busy

    def attempt(self, code, answer):
        try:
            self.begin()
            value = self.run(code)
            if value is not None:
                answer["result"], answer["truncated"] = bounded(repr(value), OUTPUT_LIMIT)
        finally:
            self.evaluating = False

    def flush(self, answer):
        for name, stream, capture in (("stdout", sys.stdout, self.stdout), ("stderr", sys.stderr, self.stderr)):
            try:
                stream.flush()
            except Exception:
                pass  # user code may have put anything there, or closed it
            answer[name], overflowed = capture.taken()
            answer["truncated"] = overflowed or answer["truncated"]

    def display(self, *values, **ignored):
        """Shows values as results beside that of the last expression."""
        for value in values:
            if self.live is not None and self.live.running:
                self.live.tell({"type": "result", "main": False, "formats": forkd_show.formats(value)})
            else:
                print(repr(value))

    def shell(self, command):
        """Runs a shell command with the output of this code: what a line that begins with ! stands for."""
        import subprocess

        forkd_output.flush_streams()
        bash = "/bin/bash" if os.path.exists("/bin/bash") else None
        ended = subprocess.run(command, shell=True, executable=bash, stdin=subprocess.DEVNULL)
        self.names["_exit_code"] = ended.returncode

    def parts(self, code, name):
        """The statements, and the expression at the end whose value counts, each compiled."""
        tree = compile(code, name, "exec", ast.PyCF_ONLY_AST | AWAIT, dont_inherit=True)
        compiled = []
        if tree.body and isinstance(tree.body[-1], ast.Expr) and not code.rstrip().endswith(";"):
            last = ast.Expression(tree.body.pop().value)
            compiled.append(compile(last, name, "eval", AWAIT, dont_inherit=True))
        return [compile(tree, name, "exec", AWAIT, dont_inherit=True)] + compiled

    def run_live(self, code, name):
        """The value of the last expression, or None; code may await, and a line with ! is for a shell."""
        try:
            parts = self.parts(code, name)
        except SyntaxError:
            if not SHELL_LINE.search(code):
                raise
            shell = lambda line: "%s__import__('forkd').shell(%r)" % (line[1], line[2])
            parts = self.parts(SHELL_LINE.sub(shell, code), name)
        value = None
        for part in parts:
            value = eval(part, self.names)
            if part.co_flags & IS_COROUTINE:
                value = self.finish(value)
        return value

    def finish(self, coroutine):
        import asyncio

        if self.loop is None or self.loop.is_closed():
            self.loop = asyncio.new_event_loop()
            asyncio.set_event_loop(self.loop)
        task = self.loop.create_task(coroutine)
        try:
            return self.loop.run_until_complete(task)
        except BaseException:
            task.cancel()
            self.loop.run_until_complete(asyncio.sleep(0))
            raise

    def attempt_live(self, code, name, env, before):
        """The failure to tell of, or None; `before` takes the variables that were changed for it."""
        failure = None
        try:
            self.begin()
            for key, value in env.items():
                before[key] = os.environ.get(key)
                os.environ[key] = value
            value = self.run_live(code, name)
            if value is not None:
                self.live.tell({"type": "result", "main": True, "formats": forkd_show.formats(value)})
                self.figures.forget(value)
            self.figures.show()
        except BaseException as error:
            failure = as_failure(error)
        finally:
            self.evaluating = False
        return failure

    def reopen_streams(self):
        """User code may have closed what everybody writes to."""
        if getattr(sys.stdout, "closed", False):
            self.stdout = self.stdout.again()
            sys.stdout = Text(self.stdout)
        if getattr(sys.stderr, "closed", False):
            self.stderr = self.stderr.again()
            sys.stderr = Text(self.stderr)

    def execute(self, code, env):
        """Runs code and tells what it does as it happens."""
        if self.live is None:
            self.live = forkd_output.Live(self.channel)
        self.reopen_streams()
        before = {}
        name = self.remember(code)
        self.live.begin(self.count)
        failure = self.attempt_live(code, name, env, before)
        if os.getpid() != self.pid:
            os._exit(0)  # user code forked and let the child come back here
        if failure is not None:
            self.live.tell(failure)
        self.live.end()
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
        return {"end": True}

    def evaluate(self, code):
        answer = {"result": None, "error": None, "traceback": None, "truncated": False}
        self.stdout.begin()
        self.stderr.begin()
        try:
            self.attempt(code, answer)
        except BaseException as error:
            answer["result"] = None
            answer["error"] = one_line(error)
            answer["traceback"] = user_traceback(error)
        if os.getpid() != self.pid:
            os._exit(0)  # user code forked and let the child come back here
        self.flush(answer)
        return answer


def answer_fork(kernel, channel):
    request = json.loads(receive(channel))
    number = struct.pack("<I", request["number"])
    try:
        os.environ["FORKD_SANDBOX_ID"] = request["sandbox_id"]
        text = "\n".join(kernel.forks.reseed(bytes.fromhex(request["seed"])))
        send(channel, number + b"\0" + text.encode("utf-8", "replace")[:4000])
    except BaseException as error:
        send(channel, number + b"\1" + one_line(error).encode("utf-8", "replace")[:4000])


def respond(kernel, message):
    try:
        request = json.loads(message)
        code, live = request["code"], "mode" in request
        env = request.get("env", {}) if live else {}
        if live and not (request["mode"] == "execute" and isinstance(code, str) and isinstance(env, dict)):
            raise ValueError("an execution needs code")
    except Exception as error:
        return {"result": None, "error": "bad request: " + one_line(error), "traceback": None}
    return kernel.execute(code, env) if live else kernel.evaluate(code)


def serve():
    requests, forks = socket.socket(fileno=3), socket.socket(fileno=4)
    for channel in (requests, forks):
        channel.set_inheritable(False)
    kernel = Kernel(requests)

    def interrupted(number, frame):
        kernel.interrupt()

    def forked(number, frame):
        answer_fork(kernel, forks)

    signal.signal(signal.SIGINT, interrupted)
    signal.signal(FORK_SIGNAL, forked)
    kernel.warm()
    greeting = {"runtime": "python", "version": sys.version.split()[0], "numpy": hasattr(kernel.main, "numpy")}
    send(requests, json.dumps(greeting).encode())
    while True:
        message = receive_only(requests)
        if message is None:
            return
        kernel.busy = True
        answer = respond(kernel, message)
        kernel.busy = kernel.interrupted = False
        send(requests, encode(answer))


serve()
