"""Runs named cases one after the other and writes what became of each."""

import json
import sys
import time
import traceback
import urllib.error
import urllib.request

# Every call, with the name of the function that tries it in each script.
CALLS = [
    ("Sandbox.create", "create"),
    ("Sandbox.create, unknown template", "create_unknown"),
    ("Sandbox.create, wrong key", "wrong_key"),
    ("getInfo", "get_info"),
    ("Sandbox.list", "listed"),
    ("Sandbox.list, metadata and state", "list_filter"),
    ("Sandbox.list, pages", "list_paging"),
    ("setTimeout", "set_timeout"),
    ("Sandbox.connect", "connect"),
    ("isRunning", "is_running"),
    ("getMetrics", "get_metrics"),
    ("commands.run", "run"),
    ("commands.run, streamed", "run_streams"),
    ("commands.run, exit code", "run_exit"),
    ("commands.run, envs and cwd", "run_given"),
    ("commands.run, user", "run_user"),
    ("commands.run, timeout", "run_timeout"),
    ("commands.run, 8 MB of output", "run_much"),
    ("commands.run, 8 at once", "run_parallel"),
    ("commands.run, background", "background"),
    ("commands.list", "commands_list"),
    ("commands.kill", "commands_kill"),
    ("commands.connect", "commands_connect"),
    ("commands.sendStdin", "stdin"),
    ("commands.closeStdin", "close_stdin"),
    ("commands.streamInput", "stream_input"),
    ("pty.create, pty.sendInput", "pty"),
    ("pty.resize", "pty_resize"),
    ("pty.kill", "pty_kill"),
    ("pty.connect", "pty_connect"),
    ("files.write, files.read", "write_read"),
    ("files.read, bytes and stream", "read_bytes"),
    ("files.write, stream and gzip", "write_stream"),
    ("files.writeFiles", "write_files"),
    ("files.list", "files_list"),
    ("files.getInfo", "files_info"),
    ("files.exists", "files_exists"),
    ("files.makeDir", "make_dir"),
    ("files.rename", "rename"),
    ("files.remove", "remove"),
    ("files.read, missing file", "read_missing"),
    ("files.watchDir", "watch"),
    ("files.write, metadata", "metadata"),
    ("files, users", "users"),
    ("downloadUrl, uploadUrl", "signed_urls"),
    ("getHost", "get_host"),
    ("pause, connect", "pause_connect"),
    ("lifecycle, pause on timeout", "on_timeout_pause"),
    ("fork", "fork"),
    ("createSnapshot, listSnapshots, deleteSnapshot", "snapshots"),
    ("updateNetwork", "update_network"),
    ("a dead sandbox", "dead"),
    ("a sandbox whose time is over", "timed_out"),
    ("kill", "kill"),
    ("code: Sandbox.create", "code_create"),
    ("runCode", "run_code"),
    ("runCode, state", "run_code_state"),
    ("runCode, streamed", "run_code_streams"),
    ("runCode, error", "run_code_error"),
    ("runCode, matplotlib", "run_code_plot"),
    ("runCode, pandas", "run_code_table"),
    ("runCode, envs", "run_code_envs"),
    ("runCode, timeout", "run_code_timeout"),
    ("runCode, JavaScript", "run_code_javascript"),
    ("code contexts", "contexts"),
]


def bodies(script, without=()):
    """The calls and what tries them, of a script's globals; `without` names those that it does not try."""
    return [(call, script[name]) for call, name in CALLS if name not in without]


class Cases:
    """The cases of one script; those named in `only` run, or all of them."""

    def __init__(self, client, out, only=None):
        self.client = client
        self.out = out
        self.only = set(only.split(";")) if only else None
        self.results = []

    def wants(self, call):
        return self.only is None or call in self.only

    def note(self, call, begun, failure=None):
        took = round(time.monotonic() - begun, 2)
        self.results.append({"call": call, "ok": failure is None, "seconds": took, "failure": failure})
        print(f"{'ok  ' if failure is None else 'FAIL'} {self.client} {call} ({took} s)" + (f": {failure}" if failure else ""), flush=True)

    def run(self, call, body):
        if not self.wants(call):
            return
        begun = time.monotonic()
        try:
            body()
            self.note(call, begun)
        except BaseException as failure:  # one case must not end the others
            self.failed(call, begun, failure)

    async def arun(self, call, body):
        if not self.wants(call):
            return
        begun = time.monotonic()
        try:
            await body()
            self.note(call, begun)
        except BaseException as failure:
            self.failed(call, begun, failure)

    def failed(self, call, begun, failure):
        traceback.print_exc(file=sys.stderr)
        self.note(call, begun, f"{type(failure).__name__}: {failure}"[:300])

    def finish(self):
        with open(self.out, "w") as file:
            json.dump({"client": self.client, "results": self.results}, file, indent=1)
        sys.exit(1 if any(not result["ok"] for result in self.results) else 0)


def same(found, expected):
    if found != expected:
        raise AssertionError(f"expected {expected!r}, found {found!r}")


def holds(condition, what):
    if not condition:
        raise AssertionError(what)


def raises(types, body):
    try:
        found = body()
    except types as expected:
        return expected
    raise AssertionError(f"nothing was raised, but {found!r} returned")


def soon(condition, what, seconds=20):
    """Waits for something that happens by itself."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        time.sleep(0.1)


def http(url, data=None, headers={}):
    """Status and body of a plain request."""
    request = urllib.request.Request(url, data=data, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as failure:
        return failure.code, failure.read()
