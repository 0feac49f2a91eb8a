"""Every call of the PyPI packages e2b and e2b-code-interpreter, with their asynchronous clients."""

import asyncio
import os
import sys
import time

import e2b
from e2b import AsyncSandbox, AuthenticationException, CommandExitException, PtySize, SandboxException, TimeoutException
from e2b_code_interpreter import AsyncSandbox as AsyncCodeSandbox

from harness import Cases, bodies, holds, http, same

cases = Cases(sys.argv[1], sys.argv[2], os.environ.get("ONLY"))
URL = os.environ["E2B_API_URL"]
FOLDER = f"/tmp/e2b-async-{os.getpid()}"
box = None
code = None


async def raises(types, awaitable):
    try:
        found = await awaitable
    except types as expected:
        return expected
    raise AssertionError(f"nothing was raised, but {found!r} returned")


async def soon(condition, what, seconds=20):
    """Waits for something that happens by itself."""
    end = time.monotonic() + seconds
    while not await condition():
        if time.monotonic() > end:
            raise AssertionError(what)
        await asyncio.sleep(0.1)


async def create():
    global box
    box = await AsyncSandbox.create(timeout=300, metadata={"case": "async", "a b": "ü"}, envs={"GIVEN": "at birth"})


async def create_unknown():
    holds("no-such-template" in str(await raises(SandboxException, AsyncSandbox.create("no-such-template"))), "no name")


async def wrong_key():
    await raises(AuthenticationException, AsyncSandbox.create(api_key="e2b_" + "0" * 80))


async def get_info():
    info = await box.get_info()
    same((info.sandbox_id, info.metadata), (box.sandbox_id, {"case": "async", "a b": "ü"}))


async def listed():
    found = []
    pages = AsyncSandbox.list()
    while pages.has_next:
        found += [item.sandbox_id for item in await pages.next_items()]
    holds(box.sandbox_id in found, found)


async def list_filter():
    query = e2b.SandboxQuery(metadata={"a b": "ü"}, state=[e2b.SandboxState.RUNNING])
    same([item.sandbox_id for item in await AsyncSandbox.list(query=query).next_items()], [box.sandbox_id])


async def list_paging():
    other = await AsyncSandbox.create(timeout=120, metadata={"case": "async"})
    pages = AsyncSandbox.list(query=e2b.SandboxQuery(metadata={"case": "async"}), limit=1)
    found = await pages.next_items() + await pages.next_items()
    await other.kill()
    same({item.sandbox_id for item in found}, {box.sandbox_id, other.sandbox_id})


async def set_timeout():
    before = (await box.get_info()).end_at
    await box.set_timeout(600)
    holds((await box.get_info()).end_at > before, "its end did not move")


async def connect():
    again = await AsyncSandbox.connect(box.sandbox_id)
    same((await again.commands.run("echo again")).stdout, "again\n")


async def is_running():
    same(await box.is_running(), True)


async def get_metrics():
    holds((await box.get_metrics())[0].mem_total > 0, "no memory")


async def run():
    result = await box.commands.run("echo out; echo err >&2")
    same((result.stdout, result.stderr, result.exit_code), ("out\n", "err\n", 0))


async def run_streams():
    out = []
    await box.commands.run("echo 1; sleep 0.3; echo 2", on_stdout=out.append)
    same("".join(out), "1\n2\n")
    holds(len(out) > 1, "all came at once")


async def run_exit():
    same((await raises(CommandExitException, box.commands.run("exit 7"))).exit_code, 7)


async def run_given():
    result = await box.commands.run('echo "$GIVEN $NOW"; pwd', envs={"NOW": "and now"}, cwd="/usr")
    same(result.stdout, "at birth and now\n/usr\n")


async def run_user():
    same((await box.commands.run("id -un", user="root")).stdout, "root\n")


async def run_timeout():
    await raises(TimeoutException, box.commands.run("sleep 60", timeout=1))


async def run_much():
    same(len((await box.commands.run("head -c 8388608 /dev/zero | tr '\\0' x", timeout=120)).stdout), 8388608)


async def run_parallel():
    found = await asyncio.gather(*(box.commands.run(f"sleep 0.2; echo {i}") for i in range(8)))
    same([result.stdout for result in found], [f"{i}\n" for i in range(8)])


async def background():
    handle = await box.commands.run("sleep 0.5; echo done", background=True)
    same((await handle.wait()).stdout, "done\n")


async def commands_list():
    handle = await box.commands.run("sleep 50", background=True)
    holds(handle.pid in [process.pid for process in await box.commands.list()], "it is not listed")
    same(await handle.kill(), True)


async def commands_kill():
    handle = await box.commands.run("sleep 50", background=True)
    same(await box.commands.kill(handle.pid), True)
    same((await raises(CommandExitException, handle.wait())).exit_code, -1)
    same(await box.commands.kill(999999), False)


async def commands_connect():
    handle = await box.commands.run("sleep 1; echo late", background=True)
    await handle.disconnect()
    same((await (await box.commands.connect(handle.pid)).wait()).stdout, "late\n")


async def stdin():
    handle = await box.commands.run("read line; echo got $line", background=True, stdin=True)
    await box.commands.send_stdin(handle.pid, "this\n")
    same((await handle.wait()).stdout, "got this\n")


async def close_stdin():
    handle = await box.commands.run("cat", background=True, stdin=True)
    await handle.send_stdin("all of it")
    await handle.close_stdin()
    same((await handle.wait()).stdout, "all of it")


async def stream_input():
    handle = await box.commands.run("cat", background=True, stdin=True)
    async with box.commands.stream_input(handle.pid) as stream:
        for i in range(20):
            await stream.send(f"{i} ")
    await box.commands.close_stdin(handle.pid)
    same((await handle.wait()).stdout, "".join(f"{i} " for i in range(20)))


async def terminal():
    """A terminal and a wait for what it shows."""
    seen = bytearray()

    async def take(data):
        seen.extend(data)

    handle = await box.pty.create(PtySize(rows=24, cols=80), on_data=take, timeout=60)

    async def shows(text):
        async def there():
            return text in seen

        await soon(there, f"{text!r} is not shown")

    return handle, shows


async def pty():
    handle, shows = await terminal()
    await box.pty.send_stdin(handle.pid, b"echo $((6*7))x\n")
    await shows(b"42x")
    await handle.kill()


async def pty_resize():
    handle, shows = await terminal()
    await box.pty.resize(handle.pid, PtySize(rows=30, cols=100))
    await box.pty.send_stdin(handle.pid, b"stty size\n")
    await shows(b"30 100")
    await handle.kill()


async def pty_kill():
    handle, _ = await terminal()
    same(await box.pty.kill(handle.pid), True)
    await raises(CommandExitException, handle.wait())


async def write_read():
    await box.files.write(f"{FOLDER}/deep/a.txt", "héllo")
    same(await box.files.read(f"{FOLDER}/deep/a.txt"), "héllo")


async def read_bytes():
    content = bytes(range(256)) * 1000
    await box.files.write(f"{FOLDER}/b", content)
    same(bytes(await box.files.read(f"{FOLDER}/b", format="bytes")), content)
    stream = await box.files.read(f"{FOLDER}/b", format="stream")
    same(b"".join([chunk async for chunk in stream]), content)


async def write_stream():
    content = b"0123456789" * 300000
    await box.files.write(f"{FOLDER}/z", content, gzip=True)
    same(len(await box.files.read(f"{FOLDER}/z", format="bytes")), len(content))


async def write_files():
    await box.files.write_files([{"path": f"{FOLDER}/m{i}", "data": f"{i}"} for i in range(3)])
    same(await box.files.read(f"{FOLDER}/m2"), "2")


async def files_list():
    await box.files.write(f"{FOLDER}/l/sub/two", "22")
    same([entry.name for entry in await box.files.list(f"{FOLDER}/l", depth=2)], ["sub", "two"])


async def files_info():
    await box.files.write(f"{FOLDER}/i", "1234")
    same((await box.files.get_info(f"{FOLDER}/i")).size, 4)


async def files_exists():
    await box.files.write(f"{FOLDER}/e", "")
    same((await box.files.exists(f"{FOLDER}/e"), await box.files.exists(f"{FOLDER}/no")), (True, False))


async def make_dir():
    same((await box.files.make_dir(f"{FOLDER}/d/e"), await box.files.make_dir(f"{FOLDER}/d/e")), (True, False))


async def rename():
    await box.files.write(f"{FOLDER}/old", "x")
    same((await box.files.rename(f"{FOLDER}/old", f"{FOLDER}/new")).path, f"{FOLDER}/new")


async def remove():
    await box.files.write(f"{FOLDER}/gone/x", "x")
    await box.files.remove(f"{FOLDER}/gone")
    same(await box.files.exists(f"{FOLDER}/gone"), False)


async def read_missing():
    await raises(e2b.NotFoundException, box.files.read(f"{FOLDER}/nothing"))


async def watch():
    await box.files.make_dir(f"{FOLDER}/w")
    events = []
    handle = await box.files.watch_dir(f"{FOLDER}/w", on_event=events.append, include_entry=True)
    await box.files.write(f"{FOLDER}/w/new", "x")

    async def told():
        return any(event.name == "new" and event.entry for event in events)

    await soon(told, events)
    await handle.stop()


async def metadata():
    await box.files.write(f"{FOLDER}/meta", "x", metadata={"author": "me"})
    same((await box.files.get_info(f"{FOLDER}/meta")).metadata, {"author": "me"})


async def users():
    await box.files.write("own.txt", "x")
    home = (await box.commands.run("echo ~")).stdout.strip()
    same((await box.files.get_info("own.txt")).path, f"{home}/own.txt")


async def signed_urls():
    await box.files.write(f"{FOLDER}/signed", "by url")
    same(await asyncio.to_thread(http, box.download_url(f"{FOLDER}/signed", use_signature_expiration=60)), (200, b"by url"))


async def get_host():
    server = await box.commands.run("python3 -m http.server 3002 --bind 127.0.0.1 -d /usr/lib", background=True, timeout=0)
    headers = {"Host": box.get_host(3002), "E2B-Traffic-Access-Token": box.traffic_access_token}

    async def answers():
        return (await asyncio.to_thread(http, f"{URL}/os-release", headers=headers))[0] == 200

    await soon(answers, "the port does not answer")
    await server.kill()


async def pause_connect():
    await box.commands.run("echo kept > /tmp/kept")
    await box.pause()
    same((await box.get_info()).state, e2b.SandboxState.PAUSED)
    back = await AsyncSandbox.connect(box.sandbox_id, timeout=300)
    same((await back.commands.run("cat /tmp/kept")).stdout, "kept\n")


async def fork():
    await box.commands.run("echo parent > /tmp/forked")
    (child,) = await box.fork(count=1, timeout=120)
    same((await child.commands.run("cat /tmp/forked")).stdout, "parent\n")
    await child.kill()


async def snapshots():
    made = await box.create_snapshot(name=f"async-{os.getpid()}")
    found = [item.snapshot_id for item in await box.list_snapshots().next_items()]
    holds(made.snapshot_id in found, found)
    same(await AsyncSandbox.delete_snapshot(made.snapshot_id), True)


async def update_network():
    await box.update_network({"allow_internet_access": False})
    same((await box.get_info()).allow_internet_access, False)


async def dead():
    doomed = await AsyncSandbox.create(timeout=60)
    same((await doomed.kill(), await doomed.kill(), await doomed.is_running()), (True, False, False))
    await raises(Exception, doomed.commands.run("true"))
    await raises(e2b.NotFoundException, AsyncSandbox.connect(doomed.sandbox_id))


async def kill():
    same(await box.kill(), True)


async def code_create():
    global code
    code = await AsyncCodeSandbox.create(timeout=300)


async def run_code():
    same((await code.run_code("1 + 1")).text, "2")


async def run_code_state():
    await code.run_code("kept = 20")
    same((await code.run_code("kept * 2 + 2")).text, "42")


async def run_code_streams():
    out = []
    await code.run_code("for i in range(3):\n    print(i, flush=True)", on_stdout=lambda m: out.append(m.line))
    same("".join(out), "0\n1\n2\n")


async def run_code_error():
    same((await code.run_code("1/0")).error.name, "ZeroDivisionError")


async def run_code_plot():
    shown = await code.run_code("import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()", timeout=120)
    holds(any(result.png for result in shown.results), "there is no png")


async def run_code_envs():
    same((await code.run_code("import os; os.environ['NOW']", envs={"NOW": "here"})).text, "'here'")


async def run_code_timeout():
    await raises(TimeoutException, code.run_code("import time; time.sleep(60)", timeout=2))
    same((await code.run_code("2 + 2", timeout=60)).text, "4")


async def contexts():
    own = await code.create_code_context(language="python")
    await code.run_code("x = 'own'", context=own)
    same((await code.run_code("x", context=own)).text, "'own'")
    await code.restart_code_context(own)
    holds((await code.run_code("x", context=own)).error is not None, "a restart keeps the state")
    await code.remove_code_context(own)
    holds(own.id not in [context.id for context in await code.list_code_contexts()], "it is still listed")


ONLY_SYNCHRONOUS = {"pty_connect", "on_timeout_pause", "timed_out", "run_code_table", "run_code_javascript"}


async def main():
    for call, body in bodies(globals(), without=ONLY_SYNCHRONOUS):
        if body is stream_input and not hasattr(box.commands, "stream_input"):
            continue
        await cases.arun(call, body)
    for left in (box, code):
        if left is not None:
            await left.kill()


asyncio.run(main())
cases.finish()
