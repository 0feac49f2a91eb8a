"""Every call of the PyPI packages e2b and e2b-code-interpreter, with their synchronous clients."""

import io
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import e2b
from e2b import CommandExitException, PtySize, Sandbox, SandboxException
from e2b import AuthenticationException, TimeoutException
from e2b_code_interpreter import Sandbox as CodeSandbox

from harness import Cases, bodies, holds, http, raises, same, soon

cases = Cases(sys.argv[1], sys.argv[2], os.environ.get("ONLY"))
box = None
URL = os.environ["E2B_API_URL"]
FOLDER = f"/tmp/e2b-sync-{os.getpid()}"


def create():
    global box
    box = Sandbox.create(timeout=300, metadata={"case": "sync", "a b": "c&d/é"}, envs={"GIVEN": "at birth"})
    holds(box.sandbox_id.startswith("sb-"), box.sandbox_id)


def create_unknown():
    failure = raises(SandboxException, lambda: Sandbox.create("no-such-template"))
    holds("no-such-template" in str(failure), str(failure))


def wrong_key():
    raises(AuthenticationException, lambda: Sandbox.create(api_key="e2b_" + "0" * 80))


def get_info():
    info = box.get_info()
    same(info.sandbox_id, box.sandbox_id)
    same(info.metadata, {"case": "sync", "a b": "c&d/é"})
    same(info.template_id, "base")
    holds(info.end_at > info.started_at, "it ends before it starts")


def listed():
    found = []
    pages = Sandbox.list()
    while pages.has_next:
        found += [item.sandbox_id for item in pages.next_items()]
    holds(box.sandbox_id in found, found)


def list_filter():
    query = e2b.SandboxQuery(metadata={"a b": "c&d/é"}, state=[e2b.SandboxState.RUNNING])
    found = [item.sandbox_id for item in Sandbox.list(query=query).next_items()]
    holds(box.sandbox_id in found, found)
    same(Sandbox.list(query=e2b.SandboxQuery(metadata={"a b": "other"})).next_items(), [])


def list_paging():
    other = Sandbox.create(timeout=120, metadata={"case": "sync"})
    try:
        pages = Sandbox.list(query=e2b.SandboxQuery(metadata={"case": "sync"}), limit=1)
        first = pages.next_items()
        holds(pages.has_next, "there is one page only")
        second = pages.next_items()
        same({first[0].sandbox_id, second[0].sandbox_id}, {box.sandbox_id, other.sandbox_id})
        holds(not pages.has_next, "there is a third page")
    finally:
        other.kill()


def set_timeout():
    before = box.get_info().end_at
    box.set_timeout(600)
    holds(box.get_info().end_at > before, "its end did not move")


def connect():
    again = Sandbox.connect(box.sandbox_id)
    same(again.sandbox_id, box.sandbox_id)
    same(again.commands.run("echo again").stdout, "again\n")


def is_running():
    same(box.is_running(), True)


def get_metrics():
    sample = box.get_metrics()[0]
    holds(sample.cpu_count > 0 and sample.mem_total > 0 and sample.disk_total > 0, str(sample))


def run():
    result = box.commands.run("echo out; echo err >&2")
    same((result.stdout, result.stderr, result.exit_code), ("out\n", "err\n", 0))


def run_streams():
    out, err = [], []
    box.commands.run("echo 1; sleep 0.3; echo 2; echo 3 >&2", on_stdout=out.append, on_stderr=err.append)
    same(("".join(out), "".join(err)), ("1\n2\n", "3\n"))
    holds(len(out) > 1, "all came at once")


def run_exit():
    failure = raises(CommandExitException, lambda: box.commands.run("echo bad >&2; exit 7"))
    same((failure.exit_code, failure.stderr), (7, "bad\n"))


def run_given():
    result = box.commands.run('echo "$GIVEN $NOW"; pwd', envs={"NOW": "and now"}, cwd="/usr")
    same(result.stdout, "at birth and now\n/usr\n")


def run_user():
    same(box.commands.run("id -un", user="root").stdout, "root\n")
    holds(box.commands.run("id -un").stdout in ("user\n", "root\n"), "an unknown user")


def run_timeout():
    raises(TimeoutException, lambda: box.commands.run("sleep 60", timeout=1))


def run_much():
    result = box.commands.run("head -c 8388608 /dev/zero | tr '\\0' x", timeout=120)
    same(len(result.stdout), 8388608)


def run_parallel():
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda i: box.commands.run(f"sleep 0.2; echo {i}").stdout, range(8)))
    same(found, [f"{i}\n" for i in range(8)])


def background():
    handle = box.commands.run("sleep 0.5; echo done", background=True)
    holds(handle.pid > 0, handle.pid)
    same(handle.wait().stdout, "done\n")


def commands_list():
    handle = box.commands.run("sleep 50", background=True)
    holds(handle.pid in [process.pid for process in box.commands.list()], "it is not listed")
    same(handle.kill(), True)


def commands_kill():
    handle = box.commands.run("sleep 50", background=True)
    same(box.commands.kill(handle.pid), True)
    failure = raises(CommandExitException, handle.wait)
    same(failure.exit_code, -1)
    same(box.commands.kill(999999), False)


def commands_connect():
    handle = box.commands.run("sleep 1; echo late", background=True)
    handle.disconnect()
    same(box.commands.connect(handle.pid).wait().stdout, "late\n")


def stdin():
    handle = box.commands.run("read line; echo got $line", background=True, stdin=True)
    box.commands.send_stdin(handle.pid, "this\n")
    same(handle.wait().stdout, "got this\n")


def close_stdin():
    handle = box.commands.run("cat", background=True, stdin=True)
    handle.send_stdin("all of it")
    handle.close_stdin()
    same(handle.wait().stdout, "all of it")


def stream_input():
    handle = box.commands.run("cat", background=True, stdin=True)
    box.commands.stream_input(handle.pid, (f"{i} " for i in range(50)))
    box.commands.close_stdin(handle.pid)
    same(handle.wait().stdout, "".join(f"{i} " for i in range(50)))


def typed(terminal, wanted, seconds=20):
    """Reads a terminal until it has written something."""
    seen = b""
    end = time.monotonic() + seconds
    for _, _, output in terminal:
        seen += output or b""
        if wanted in seen or time.monotonic() > end:
            break
    holds(wanted in seen, f"{wanted!r} is not in {seen!r}")


def pty():
    terminal = box.pty.create(PtySize(rows=24, cols=80), timeout=60)
    box.pty.send_stdin(terminal.pid, b"stty size; echo $((6*7))x\n")
    typed(terminal, b"42x")
    box.pty.kill(terminal.pid)


def pty_resize():
    terminal = box.pty.create(PtySize(rows=24, cols=80), timeout=60)
    box.pty.resize(terminal.pid, PtySize(rows=30, cols=100))
    box.pty.send_stdin(terminal.pid, b"stty size\n")
    typed(terminal, b"30 100")
    box.pty.kill(terminal.pid)


def pty_kill():
    terminal = box.pty.create(PtySize(rows=24, cols=80), timeout=60)
    same(box.pty.kill(terminal.pid), True)
    raises(CommandExitException, terminal.wait)


def pty_connect():
    terminal = box.pty.create(PtySize(rows=24, cols=80), timeout=60)
    terminal.disconnect()
    again = box.pty.connect(terminal.pid)
    box.pty.send_stdin(terminal.pid, b"echo $((40+2))y\n")
    typed(again, b"42y")
    box.pty.kill(terminal.pid)


def write_read():
    info = box.files.write(f"{FOLDER}/deep/a.txt", "héllo")
    same((info.path, info.name), (f"{FOLDER}/deep/a.txt", "a.txt"))
    same(box.files.read(f"{FOLDER}/deep/a.txt"), "héllo")


def read_bytes():
    content = bytes(range(256)) * 1000
    box.files.write(f"{FOLDER}/b", content)
    same(bytes(box.files.read(f"{FOLDER}/b", format="bytes")), content)
    same(b"".join(box.files.read(f"{FOLDER}/b", format="stream")), content)


def write_stream():
    content = b"0123456789" * 300000
    box.files.write(f"{FOLDER}/s", io.BytesIO(content))
    same(len(box.files.read(f"{FOLDER}/s", format="bytes")), len(content))
    box.files.write(f"{FOLDER}/z", content, gzip=True)
    same(bytes(box.files.read(f"{FOLDER}/z", format="bytes", gzip=True)), content)


def write_files():
    written = box.files.write_files([{"path": f"{FOLDER}/m{i}", "data": f"{i}"} for i in range(3)])
    same([info.path for info in written], [f"{FOLDER}/m{i}" for i in range(3)])
    same(box.files.read(f"{FOLDER}/m2"), "2")


def files_list():
    box.files.write(f"{FOLDER}/l/one", "1")
    box.files.write(f"{FOLDER}/l/sub/two", "22")
    same(sorted(entry.name for entry in box.files.list(f"{FOLDER}/l")), ["one", "sub"])
    same(sorted(entry.name for entry in box.files.list(f"{FOLDER}/l", depth=2)), ["one", "sub", "two"])


def files_info():
    box.files.write(f"{FOLDER}/i", "1234")
    entry = box.files.get_info(f"{FOLDER}/i")
    same((entry.size, entry.type, entry.permissions), (4, e2b.FileType.FILE, "-rw-r--r--"))
    raises(e2b.NotFoundException, lambda: box.files.get_info(f"{FOLDER}/nothing"))


def files_exists():
    box.files.write(f"{FOLDER}/e", "")
    same((box.files.exists(f"{FOLDER}/e"), box.files.exists(f"{FOLDER}/nothing")), (True, False))


def make_dir():
    same((box.files.make_dir(f"{FOLDER}/d/e"), box.files.make_dir(f"{FOLDER}/d/e")), (True, False))


def rename():
    box.files.write(f"{FOLDER}/old", "x")
    same(box.files.rename(f"{FOLDER}/old", f"{FOLDER}/new").path, f"{FOLDER}/new")
    same(box.files.exists(f"{FOLDER}/old"), False)


def remove():
    box.files.write(f"{FOLDER}/gone/x", "x")
    box.files.remove(f"{FOLDER}/gone")
    same(box.files.exists(f"{FOLDER}/gone"), False)


def read_missing():
    raises(e2b.NotFoundException, lambda: box.files.read(f"{FOLDER}/nothing"))


def watch():
    box.files.make_dir(f"{FOLDER}/w/sub")
    handle = box.files.watch_dir(f"{FOLDER}/w", recursive=True, include_entry=True)
    box.files.write(f"{FOLDER}/w/sub/new", "x")
    events = []
    soon(lambda: events.extend(handle.get_new_events()) or any(e.name == "sub/new" for e in events), events)
    created = [event for event in events if event.name == "sub/new"]
    holds(any(event.entry is not None for event in created), "no event has an entry")
    handle.stop()


def metadata():
    box.files.write(f"{FOLDER}/meta", "x", metadata={"author": "me", "n": "1"})
    same(box.files.get_info(f"{FOLDER}/meta").metadata, {"author": "me", "n": "1"})


def users():
    box.files.write("own.txt", "x")
    home = box.commands.run("echo ~").stdout.strip()
    same(box.files.get_info("own.txt").path, f"{home}/own.txt")
    box.files.write(f"{FOLDER}/by-root", "x", user="root")
    same(box.files.get_info(f"{FOLDER}/by-root").owner, "root")
    raises(AuthenticationException, lambda: box.files.read("x", user="nobody-has-this-name"))


def signed_urls():
    box.files.write(f"{FOLDER}/signed", "by url")
    same(http(box.download_url(f"{FOLDER}/signed", use_signature_expiration=60)), (200, b"by url"))
    wrong = box.download_url(f"{FOLDER}/signed").replace("signature=v1_", "signature=v1_x")
    holds(http(wrong)[0] in (401, 502), "a wrong signature was taken")
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nup\r\n--b--\r\n'
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    same(http(box.upload_url(f"{FOLDER}/up"), form, kind)[0], 200)
    same(box.files.read(f"{FOLDER}/up"), "up")


def get_host():
    box.commands.run("mkdir -p /tmp/www && echo from the guest > /tmp/www/page")
    server = box.commands.run("python3 -m http.server 3000 --bind 127.0.0.1 -d /tmp/www", background=True, timeout=0)
    headers = {"Host": box.get_host(3000), "E2B-Traffic-Access-Token": box.traffic_access_token}
    soon(lambda: http(f"{URL}/page", headers=headers) == (200, b"from the guest\n"), "the port does not answer")
    holds(http(f"{URL}/page", headers={"Host": box.get_host(3000)})[0] == 401, "strangers came in")
    server.kill()


def pause_connect():
    box.commands.run("echo kept > /tmp/kept")
    holds(box.pause() is not False, "pause did nothing")
    same(box.get_info().state, e2b.SandboxState.PAUSED)
    raises(Exception, lambda: box.commands.run("true"))
    back = Sandbox.connect(box.sandbox_id, timeout=300)
    same(back.commands.run("cat /tmp/kept").stdout, "kept\n")
    same(box.get_info().state, e2b.SandboxState.RUNNING)


def on_timeout_pause():
    short = Sandbox.create(timeout=4, lifecycle={"on_timeout": "pause"})
    try:
        soon(lambda: short.get_info().state == e2b.SandboxState.PAUSED, "it was not paused", 60)
        same(Sandbox.connect(short.sandbox_id, timeout=60).commands.run("echo back").stdout, "back\n")
    finally:
        short.kill()


def fork():
    box.commands.run("echo parent > /tmp/forked")
    forks = box.fork(count=2, timeout=120)
    same(len(forks), 2)
    for child in forks:
        holds(not isinstance(child, Exception), str(child))
        same(child.commands.run("cat /tmp/forked").stdout, "parent\n")
    forks[0].commands.run("echo child > /tmp/forked")
    same(forks[1].commands.run("cat /tmp/forked").stdout, "parent\n")
    same(box.commands.run("cat /tmp/forked").stdout, "parent\n")
    holds(len({box._envd_access_token, *(child._envd_access_token for child in forks)}) == 3, "tokens are shared")
    for child in forks:
        child.kill()


def snapshots():
    box.commands.run("echo in the snapshot > /tmp/snap")
    name = f"sync-{os.getpid()}"
    made = box.create_snapshot(name=name)
    found = [item.snapshot_id for item in box.list_snapshots().next_items()]
    holds(made.snapshot_id in found, found)
    child = Sandbox.create(made.snapshot_id, timeout=120)
    same(child.commands.run("cat /tmp/snap").stdout, "in the snapshot\n")
    child.kill()
    same(Sandbox.delete_snapshot(made.snapshot_id), True)
    same(Sandbox.delete_snapshot(made.snapshot_id), False)


def update_network():
    box.update_network({"allow_internet_access": False})
    same(box.get_info().allow_internet_access, False)
    box.update_network({"allow_out": ["example.org", "192.0.2.0/24"], "deny_out": ["0.0.0.0/0"]})
    same(sorted(box.get_info().network["allow_out"]), ["192.0.2.0/24", "example.org"])


def dead():
    doomed = Sandbox.create(timeout=60)
    same((doomed.kill(), doomed.kill()), (True, False))
    same(doomed.is_running(), False)
    raises(e2b.exceptions.TimeoutException if not hasattr(e2b, "SandboxNotRunningException") else (e2b.SandboxNotRunningException, TimeoutException), lambda: doomed.commands.run("true"))
    raises(Exception, lambda: doomed.files.read("/etc/hostname"))
    raises(e2b.NotFoundException, lambda: doomed.set_timeout(10))
    raises(e2b.NotFoundException, lambda: Sandbox.connect(doomed.sandbox_id))


def timed_out():
    short = Sandbox.create(timeout=2)
    soon(lambda: not short.is_running(), "it lives on", 30)


def kill():
    same(box.kill(), True)
    same(Sandbox.kill(box.sandbox_id), False)


code = None


def code_create():
    global code
    code = CodeSandbox.create(timeout=300)
    same(code.get_info().template_id, "code-interpreter-v1")


def run_code():
    same(code.run_code("1 + 1").text, "2")


def run_code_state():
    code.run_code("kept = 20")
    same(code.run_code("kept * 2 + 2").text, "42")


def run_code_streams():
    out, err = [], []
    done = code.run_code(
        "import sys\nfor i in range(3):\n    print(i, flush=True)\nprint('é', file=sys.stderr)",
        on_stdout=lambda message: out.append(message.line),
        on_stderr=lambda message: err.append(message.line),
    )
    same(("".join(out), "".join(err)), ("0\n1\n2\n", "é\n"))
    same("".join(done.logs.stdout), "0\n1\n2\n")


def run_code_error():
    error = code.run_code("1/0").error
    same(error.name, "ZeroDivisionError")
    holds("ZeroDivisionError" in error.traceback, error.traceback)


def run_code_plot():
    shown = code.run_code("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()", timeout=120)
    holds(shown.error is None, str(shown.error))
    holds(any(result.png and result.png.startswith("iVBOR") for result in shown.results), "there is no png")


def run_code_table():
    shown = code.run_code("import pandas as pd\npd.DataFrame({'a': [1, 2]})", timeout=120)
    holds(shown.error is None, str(shown.error))
    holds("<table" in (shown.results[0].html or ""), "there is no html")


def run_code_envs():
    same(code.run_code("import os; os.environ['NOW']", envs={"NOW": "here"}).text, "'here'")


def run_code_timeout():
    raises(TimeoutException, lambda: code.run_code("import time; time.sleep(60)", timeout=2))
    same(code.run_code("2 + 2", timeout=60).text, "4")


def contexts():
    own = code.create_code_context(cwd="/tmp", language="python")
    code.run_code("x = 'own'", context=own)
    same(code.run_code("x", context=own).text, "'own'")
    holds(code.run_code("x").error is not None, "contexts share their state")
    holds(own.id in [context.id for context in code.list_code_contexts()], "it is not listed")
    code.restart_code_context(own)
    holds(code.run_code("x", context=own).error is not None, "a restart keeps the state")
    code.remove_code_context(own)
    holds(own.id not in [context.id for context in code.list_code_contexts()], "it is still listed")


def run_code_javascript():
    same(code.run_code("[1, 2, 3].length", language="js", timeout=60).text, "3")


for call, body in bodies(globals()):
    missing = (body is stream_input and not hasattr(e2b.sandbox_sync.commands.command.Commands, "stream_input")) or (
        body is fork and not hasattr(Sandbox, "fork")
    )
    if not missing:
        cases.run(call, body)
for left in (box, code):
    if left is not None:
        left.kill()
cases.finish()
