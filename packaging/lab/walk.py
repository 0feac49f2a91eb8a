#!/usr/bin/env python3
"""The walk of the lab: forkd on a Debian host that emulates virtualization, from `doctor` to "nothing is left". Started by systemd
inside the emulated host (see run); prints one line per step, figures, and `lab: N passed, M failed`.

Steps speak REST, because a command line of Java takes seconds to start here; a few go through `forkd` itself.
"""

import ast
import glob
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time

SOCKET = "/run/forkd/forkd.sock"
RECIPE = "/usr/share/forkd/lab/lab.toml"
DEFAULTS = "/etc/default/forkd"
PATIENCE = 600
# An emulated JVM compiles and links slowly.
JVM = "-XX:TieredStopAtLevel=1 -XX:AOTCache=/usr/share/forkd/aot/daemon.aot -Xlog:disable"
os.environ.update(FORKD_DATA="/var/lib/forkd", FORKD_RUN="/run/forkd", NO_COLOR="1")

# In the source: bytes that stay, and a thread that writes one number after the other into 2048 pages, always in the same order. At any
# instant the first pages have number n and the others n - 1: a copy that mixes two instants shows. It rests in the middle, because
# whatever it takes the daemon lacks.
PREPARE = """
import hashlib, threading, os, time
kept = os.urandom(4 << 20)
kept_digest = hashlib.sha256(kept).hexdigest()
pages = bytearray(8 << 20)
def _write():
    numbers, n = memoryview(pages).cast("Q"), 0
    while True:
        n += 1
        for at in range(0, len(numbers), 512):
            numbers[at] = n
            if at % 32768 == 0:
                time.sleep(0.002)
threading.Thread(target=_write, daemon=True).start()
def _look():
    seen = memoryview(bytes(pages)).cast("Q")[::512].tolist()
    whole = seen == sorted(seen, reverse=True) and seen[0] - seen[-1] <= 1
    return {"mark": mark, "kept": hashlib.sha256(kept).hexdigest() == kept_digest, "whole": whole, "n": seen[0]}
mark = "prepared"
"""


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


class Failed(Exception):
    """A step did not hold."""


def ask(method, path, body=None):
    """Asks the daemon: status and answer."""
    connection = UnixConnection("forkd", timeout=PATIENCE)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.strip() else None
    finally:
        connection.close()


def call(method, path, body=None):
    status, answer = ask(method, path, body)
    if status >= 300:
        raise Failed("%s %s answered %d %s" % (method, path, status, answer))
    return answer


def need(held, text):
    if not held:
        raise Failed(str(text))


def run(*words):
    """Runs a program of the host; what it printed."""
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
    text = done.stdout.decode(errors="replace")
    need(done.returncode == 0, "%s ended with %d:\n%s" % (" ".join(words), done.returncode, text[-3000:]))
    return text


def read(path):
    with open(path) as file:
        return file.read().strip()


def figure(text):
    print("     %s" % text, flush=True)


def wait_for_daemon():
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        try:
            if ask("GET", "/healthz")[0] == 200:
                return
        except (OSError, http.client.HTTPException):
            time.sleep(1)
    raise Failed("no daemon answers:\n" + run("journalctl", "-u", "forkd", "-n", "40", "--no-pager"))


def main_pid():
    return int(run("systemctl", "show", "-p", "MainPID", "--value", "forkd"))


def evaluate(sandbox, code):
    answer = call("POST", "/v1/sandboxes/%s/eval" % sandbox, {"code": code, "timeout_secs": PATIENCE})
    need(answer["error"] is None, answer)
    return answer["result"]


def fork(tag, n=1, **given):
    children = call("POST", "/v1/sandboxes", dict(given, snapshot_tag=tag, n=n))
    need(len(children) == n, "%d of %d children live" % (len(children), n))
    return children


def group_of(pid):
    """The folder of a process's v2 group."""
    return "/sys/fs/cgroup" + [line for line in read("/proc/%d/cgroup" % pid).splitlines() if line.startswith("0::")][0][3:]


def expected_branching():
    """The best mode of this kernel, and a word that is in the reason for it."""
    kernel = tuple(map(int, os.uname().release.split(".")[:2]))
    x86 = os.uname().machine == "x86_64"
    if kernel >= ((6, 7) if x86 else (6, 10)):
        return "live", "WP_ASYNC"
    return ("live", "soft-dirty: ") if x86 else ("diff", "soft-dirty")


class Walk:
    def __init__(self, accelerator):
        self.accelerator = accelerator
        self.best = expected_branching()[0]
        self.base = "lab-" + accelerator
        self.passed = self.failed = 0
        self.source = self.sibling = None

    def step(self, what, body):
        began = time.monotonic()
        try:
            body()
            self.passed += 1
            print("ok   %s (%.0f s)" % (what, time.monotonic() - began), flush=True)
            return True
        except Exception as e:  # whatever goes wrong is this step's failure
            self.failed += 1
            print("FAIL %s: %s: %s" % (what, type(e).__name__, e), flush=True)
            return False

    # The host

    def service(self):
        os.makedirs(os.path.dirname(DEFAULTS), exist_ok=True)
        with open(DEFAULTS, "w") as file:
            file.write("FORKD_ACCEL=%s\n" % ("tcg" if self.accelerator == "tcg" else "auto"))
            file.write("JAVA_TOOL_OPTIONS=%s\n" % JVM)
        run("systemctl", "restart", "forkd")
        wait_for_daemon()

    def doctor(self):
        found = subprocess.run(["forkd", "doctor"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=PATIENCE)
        for line in found.stdout.decode(errors="replace").splitlines():
            figure(line)
        need(found.returncode == 0, "doctor ended with %d" % found.returncode)

    def status(self):
        status = call("GET", "/v1/status")
        figure("vmm: %s" % json.dumps(status["vmm"]))
        figure("branching: %s" % json.dumps(status["branching"]))
        need(self.accelerator in json.dumps(status["vmm"]).lower(), "another accelerator")
        best, way = expected_branching()
        need(status["branching"]["best"] == best, "the best branch is not " + best)
        need(way in status["branching"]["reason"], "branches do not go by " + way)

    # Forks

    def snapshot(self):
        call("POST", "/v1/snapshots", {"tag": self.base, "recipe": RECIPE, "ready_timeout_secs": PATIENCE})

    def forks(self):
        children = fork(self.base, 2)
        self.source, self.sibling = (child["id"] for child in children)
        figure("phases of the first child: %s" % json.dumps(children[0]["phases_ms"]))
        began = time.monotonic()
        evaluate(self.source, "1")
        figure("first eval after a fork: %.0f ms" % ((time.monotonic() - began) * 1e3))
        began = time.monotonic()
        evaluate(self.source, "1")
        figure("second eval: %.0f ms" % ((time.monotonic() - began) * 1e3))
        for name in ("hostname", "machine_id", "boot_id"):
            need(children[0]["proof"][name] != children[1]["proof"][name], "both children have the same " + name)
        need(all(child["proof"]["crng_reseeded"] for child in children), "a child was not reseeded")
        code = "(__import__('os').urandom(8), __import__('random').random(), __import__('socket').gethostname())"
        one, other = (ast.literal_eval(evaluate(each, code)) for each in (self.source, self.sibling))
        need(not set(one) & set(other), "the children say %s and %s" % (one, other))

    # Branches

    def prepare(self):
        evaluate(self.source, PREPARE)
        self.look(self.source, "prepared")

    def look(self, sandbox, mark):
        seen = ast.literal_eval(evaluate(sandbox, "_look()"))
        need(seen["kept"] and seen["whole"] and seen["mark"] == mark, "%s should be at %s and says %s" % (sandbox, mark, seen))
        return seen["n"]

    def branch(self, sandbox, tag, mode):
        """Marks the sandbox, branches it, marks it anew, and looks at a child of the branch and at the source; the child."""
        evaluate(sandbox, "mark = %r" % tag)
        answer = call("POST", "/v1/sandboxes/%s/branch" % sandbox, {"tag": tag, "mode": mode})
        figure("%s: pause %.1f ms, copying %.0f ms, %.1f MiB of pages" % (tag, answer["pause_ms"], answer["diff_ms"], answer["diff_logical_bytes"] / 2**20))
        need(answer["mode"] == mode and answer["status"] == "ready", answer)
        evaluate(sandbox, "mark = %r" % (tag + "-after"))
        child = fork(tag)[0]["id"]
        n = self.look(child, tag)
        self.look(sandbox, tag + "-after")
        need(self.look(child, tag) >= n, "the child's writer went back")
        return child

    def branches(self, mode):
        child = self.branch(self.source, self.base + "-" + mode, mode)
        if mode == self.best:
            self.child = child
        else:
            call("DELETE", "/v1/sandboxes/" + child)

    def branch_of_branch(self):
        for mode in dict.fromkeys((self.best, "diff")):
            tag = "%s-second-%s" % (self.base, mode)
            grandchild = self.branch(self.child, tag, mode)
            call("DELETE", "/v1/sandboxes/" + grandchild)
            info = call("GET", "/v1/snapshots/%s/info" % tag)
            need(info["chain_depth"] == 2, info)
        call("DELETE", "/v1/sandboxes/" + self.child)

    def rollback(self):
        answer = call("POST", "/v1/sandboxes/%s/rollback" % self.source, {"tag": self.base + "-" + self.best})
        need(answer["id"] == self.source, answer)
        self.look(self.source, self.base + "-" + self.best)

    def pause(self):
        evaluate(self.source, "mark = 'paused'")
        call("POST", "/v1/sandboxes/%s/pause" % self.source)
        status, answer = ask("POST", "/v1/sandboxes/%s/eval" % self.source, {"code": "1"})
        need(status == 409, "a paused sandbox answered %d %s" % (status, answer))
        call("POST", "/v1/sandboxes/%s/resume" % self.source)
        self.look(self.source, "paused")

    # Limits

    def limits(self):
        child = fork(self.base, memory_limit_mib=512, cpus=0.5, pids=64, io_bytes_per_sec=20000000)[0]
        group = group_of(child["pid"])
        figure("group: " + group)
        found = {name: read(os.path.join(group, name)) for name in ("memory.max", "cpu.max", "pids.max", "io.max")}
        figure("limits: %s" % found)
        need(found["memory.max"] == str(512 << 20), found)
        quota, period = map(int, found["cpu.max"].split())
        need(quota * 2 == period, found)
        need(found["pids.max"] == "64", found)
        need("rbps=20000000 wbps=20000000" in found["io.max"], found)
        call("DELETE", "/v1/sandboxes/" + child["id"])
        need(not os.path.exists(group), group + " is left")

    def hog(self):
        child = fork(self.base, memory_limit_mib=100)[0]
        try:
            status, answer = ask("POST", "/v1/sandboxes/%s/eval" % child["id"], {"code": "hog = b'x' * (110 << 20)", "timeout_secs": PATIENCE})
            figure("the hog's call: %d %s" % (status, json.dumps(answer)[:300]))
        finally:
            self.look(self.source, "paused")
            need(evaluate(self.sibling, "6 * 7") == "42", "the sibling is wrong")
        ended = [each for each in call("GET", "/v1/sandboxes/ended?limit=100") if each["id"] == child["id"]]
        need(ended and ended[0]["reason"]["kind"] == "out_of_memory", "the hog is %s" % (ended or "not ended"))

    # The daemon's death

    def adoption(self):
        pid = main_pid()
        evaluate(self.source, "mark = 'before the kill'")
        os.kill(pid, signal.SIGKILL)
        deadline = time.monotonic() + PATIENCE
        while main_pid() in (0, pid) and time.monotonic() < deadline:
            time.sleep(1)
        wait_for_daemon()
        self.look(self.source, "before the kill")
        need(evaluate(self.sibling, "6 * 7") == "42", "the sibling is wrong")

    def adopted_branch(self):
        child = self.branch(self.source, self.base + "-adopted", self.best)
        call("DELETE", "/v1/sandboxes/" + child)

    def restart(self):
        evaluate(self.source, "mark = 'before the restart'")
        run("systemctl", "restart", "forkd")
        wait_for_daemon()
        self.look(self.source, "before the restart")

    # The end

    def command_line(self):
        need(run("forkd", "eval", self.sibling, "--", "6 * 7").strip() == "42", "eval by the command line")
        run("forkd", "kill", "--all")
        need(call("GET", "/v1/sandboxes") == [], "sandboxes are left")

    def nothing_left(self):
        left = self.left()
        need(not any(left.values()), "left: %s" % left)

    def left(self):
        """What sandboxes leave behind, by kind."""
        return {
            "VMMs": [path for path in glob.glob("/proc/[0-9]*/comm") if self.text(path).startswith("qemu-system")],
            "groups": glob.glob("/sys/fs/cgroup/**/sb-*", recursive=True),
            "folders": os.listdir("/run/forkd/sb") if os.path.isdir("/run/forkd/sb") else [],
            "mounts": [line for line in read("/proc/self/mounts").splitlines() if "forkd/sb" in line],
        }

    @staticmethod
    def text(path):
        try:
            return read(path)
        except OSError:
            return ""

    def stop(self):
        call("DELETE", "/v1/snapshots/%s?cascade=true" % self.base)
        run("systemctl", "stop", "forkd")
        figure("cleanup: " + run("forkd", "cleanup").strip())
        # Networks are made ahead, so that only now none may be left.
        left = {
            "network namespaces": os.listdir("/run/netns") if os.path.isdir("/run/netns") else [],
            "links": [name for name in os.listdir("/sys/class/net") if name.startswith("fk")],
            "groups": glob.glob("/sys/fs/cgroup/**/forkd-*/", recursive=True),
        }
        need(not any(left.values()), "left: %s" % left)

    def all(self):
        self.step("the service starts", self.service)
        self.step("doctor judges this host", self.doctor)
        self.step("status: %s, branches by mode %s" % (self.accelerator, self.best), self.status)
        if not self.step("a snapshot", self.snapshot) or not self.step("two forks that differ", self.forks):
            return
        if self.step("a writer in the source", self.prepare):
            for mode in dict.fromkeys((self.best, "diff", "full")):
                self.step("branch --mode %s: the child has the bytes of its instant" % mode, lambda mode=mode: self.branches(mode))
            self.step("branches of a branch", self.branch_of_branch)
            self.step("rollback", self.rollback)
            self.step("pause and resume", self.pause)
        self.step("limits by cgroup v2", self.limits)
        self.step("a memory hog is ended, its siblings live", self.hog)
        self.step("kill -9 of the daemon: systemd starts another, which adopts the sandboxes", self.adoption)
        self.step("an adopted sandbox is branched", self.adopted_branch)
        self.step("restart of the service", self.restart)
        self.step("command line: eval and kill --all", self.command_line)
        self.step("nothing is left", self.nothing_left)
        self.step("stop and cleanup", self.stop)


def main():
    accelerators = sys.argv[1:] or ["kvm"]
    figure("kernel %s, up %s s" % (os.uname().release, read("/proc/uptime").split()[0]))
    if "kvm" in accelerators and os.uname().machine == "x86_64":
        run("modprobe", "kvm-amd")
    passed = failed = 0
    for accelerator in accelerators:
        walk = Walk(accelerator)
        try:
            walk.all()
        finally:
            passed += walk.passed
            failed += walk.failed
            if walk.failed:
                print(run("journalctl", "-u", "forkd", "-n", "120", "--no-pager", "-o", "cat"), flush=True)
    print("lab: %d passed, %d failed" % (passed, failed), flush=True)


main()
