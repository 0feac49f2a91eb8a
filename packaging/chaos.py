#!/usr/bin/env python3
"""Chaos: random forks, evals, branches, pauses and kills while the daemon and VMMs are killed with -9, the disk fills up and the
clock jumps. At the end every acknowledged sandbox and snapshot is accounted for and nothing is left behind.

Run by ./check (short) and ./check --chaos (ten minutes); by hand: packaging/chaos.py SECONDS SNAPSHOT-FOLDER [SEED], as root.
The snapshot folder is one of a data folder's snapshots/, of a Python guest, such as build/vm-tests/shared/snapshots/python-numpy.
"""

import glob
import hashlib
import http.client
import json
import os
import random
import shutil
import signal
import socket
import sqlite3
import struct
import subprocess
import sys
import threading
import time
import zlib

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(HERE, "build", "chaos")
DATA = os.path.join(WORK, "data")
RUN = "/run/forkd-chaos-%d" % os.getpid()
SOCKET = os.path.join(RUN, "forkd.sock")
FILLER = os.path.join(DATA, "filler")
CLOCK = os.path.join(WORK, "clock")
SHIM = os.path.join(WORK, "clock.so")
GROUP = "forkd-%08x" % zlib.crc32(RUN.encode())
HASH = hashlib.sha256(RUN.encode()).hexdigest()[:8]
DISK_MIB = 3072
BASE = "base"


class Gone(Exception):
    """The daemon died before it answered: what was asked may or may not have been done."""


class UnixConnection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(SOCKET)


def note(text):
    """What was done, in order, for who looks into a failure."""
    with open(os.path.join(WORK, "journal"), "a") as journal:
        journal.write("%.3f %s\n" % (time.monotonic(), text))


def call(method, path, body=None, timeout=120):
    """Asks the daemon: status and answer."""
    try:
        status, answer = ask(method, path, body, timeout)
    except Gone:
        note("%s %s %s: cut off" % (method, path, body or ""))
        raise
    note("%s %s %s: %d" % (method, path, body or "", status))
    return status, answer


def ask(method, path, body, timeout):
    connection = UnixConnection("forkd", timeout=timeout)
    try:
        connection.request(method, path, json.dumps(body) if body is not None else None)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text.strip() else None
    except (OSError, http.client.HTTPException) as e:
        raise Gone(repr(e)) from e
    finally:
        connection.close()


def set_clock(seconds):
    with open(CLOCK, "r+b") as clock:
        clock.write(struct.pack("q", seconds))


class Daemon:
    def __init__(self):
        self.process = None
        self.log = open(os.path.join(WORK, "daemon.log"), "ab")

    def start(self):
        environment = dict(os.environ, FORKD_DATA=DATA, FORKD_RUN=RUN, LD_PRELOAD=SHIM, CHAOS_CLOCK=CLOCK)
        self.process = subprocess.Popen(
            [os.path.join(HERE, "packaging", "daemon.sh"), "--socket", SOCKET],
            env=environment, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, start_new_session=True,
        )
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise SystemExit("chaos: the daemon ended with %d, see %s" % (self.process.returncode, self.log.name))
            try:
                if call("GET", "/healthz", timeout=5)[0] == 200:
                    return
            except Gone:
                time.sleep(0.1)
        raise SystemExit("chaos: the daemon did not answer in 120 s")

    def end(self, how):
        self.process.send_signal(how)
        self.process.wait(timeout=120)

    def descriptors(self):
        return len(os.listdir("/proc/%d/fd" % self.process.pid))


class Chaos:
    def __init__(self, seconds, seed):
        self.seconds = seconds
        self.random = random.Random(seed)
        self.daemon = Daemon()
        self.running = {}  # id -> the value it holds
        self.paused = {}
        self.branches = {}  # tag -> the value in it
        self.counts = {}
        self.failures = 0
        self.full = False
        self.number = 0

    def fail(self, text):
        self.failures += 1
        note("FAIL " + text)
        print("FAIL", text, flush=True)

    def count(self, what):
        self.counts[what] = self.counts.get(what, 0) + 1

    # What users do. Each returns after an answer; a daemon that dies meanwhile raises Gone.

    def fork(self, tag=BASE, value=None):
        status, answer = call("POST", "/v1/sandboxes", {"snapshot_tag": tag, "n": 1, "labels": {"by": "chaos"}})
        if status != 201:
            return self.refused("fork", status, answer)
        identity = answer[0]["id"]
        if value is None:
            self.running[identity] = None
            self.write(identity)
        else:
            self.running[identity] = value
            self.read(identity)

    def write(self, identity):
        self.number += 1
        value = "%d-%d" % (self.number, self.random.randrange(1 << 30))
        # Until the answer is there it may hold either.
        before = self.running[identity]
        self.running[identity] = (before, value)
        status, answer = call("POST", "/v1/sandboxes/%s/eval" % identity, {"code": "kept = %r" % value, "timeout_secs": 60})
        if status == 200 and answer["exit_code"] == 0:
            self.running[identity] = value
        else:
            self.refused("write", status, answer)

    def read(self, identity):
        code = "globals().get('kept')"
        status, answer = call("POST", "/v1/sandboxes/%s/eval" % identity, {"code": code, "timeout_secs": 60})
        if status != 200:
            return self.refused("read of %s" % identity, status, answer)
        held = self.running[identity]
        expected = held if isinstance(held, tuple) else (held,)
        if answer["result"] not in [repr(value) for value in expected] + (["None", None, ""] if None in expected else []):
            self.fail("%s holds %r, expected one of %r" % (identity, answer, expected))
        elif isinstance(held, tuple):
            self.running[identity] = next((v for v in expected if repr(v) == answer["result"]), None)

    def branch(self, identity):
        self.number += 1
        tag = "b%d" % self.number
        body = {"tag": tag, "mode": self.random.choice(["live", "diff", "full"])}
        value = self.running[identity]
        status, answer = call("POST", "/v1/sandboxes/%s/branch" % identity, body)
        if status != 201:
            return self.refused("branch", status, answer)
        self.branches[tag] = value

    def pause(self, identity):
        self.paused[identity] = self.running.pop(identity)
        status, answer = call("POST", "/v1/sandboxes/%s/pause" % identity)
        if status != 200:
            self.running[identity] = self.paused.pop(identity)
            self.refused("pause", status, answer)

    def resume(self, identity):
        self.running[identity] = self.paused.pop(identity)
        status, answer = call("POST", "/v1/sandboxes/%s/resume" % identity)
        if status != 200:
            self.paused[identity] = self.running.pop(identity)
            self.refused("resume", status, answer)

    def kill(self, identity):
        held = self.running.pop(identity, None) or self.paused.pop(identity, None)
        status, answer = call("DELETE", "/v1/sandboxes/%s" % identity)
        if status != 204:
            self.fail("kill of %s (%r): %d %r" % (identity, held, status, answer))

    def remove(self, tag):
        # Who is cut off here has promised nothing: the branch may be there or not.
        value = self.branches.pop(tag)
        status, answer = call("DELETE", "/v1/snapshots/%s" % tag)
        if status == 409:
            self.branches[tag] = value
        elif status != 204:
            self.fail("rmi %s: %d %r" % (tag, status, answer))

    def refused(self, what, status, answer):
        """Only a full disk or a full budget is a reason, and it must be said."""
        if not (self.full or status == 503) or not (answer or {}).get("error"):
            self.fail("%s: %d %r" % (what, status, answer))
        self.count("refusals")

    # What happens to them.

    def one_action(self):
        pick = self.random.choice
        actions = [lambda: self.fork(), lambda: self.fork()] if len(self.running) < 6 else []
        if self.running:
            actions += [lambda: self.write(pick(list(self.running))), lambda: self.read(pick(list(self.running)))]
            if len(self.branches) < 6:
                actions += [lambda: self.branch(pick(list(self.running)))]
            actions += [lambda: self.pause(pick(list(self.running)))]
        if self.paused:
            actions += [lambda: self.resume(pick(list(self.paused)))] * 2
        if len(self.running) + len(self.paused) > 4:
            actions += [lambda: self.kill(pick(list(self.running) + list(self.paused)))] * 2
        if self.branches:
            actions += [lambda: self.fork(*pick(list(self.branches.items())))] if len(self.running) < 6 else []
            actions += [lambda: self.remove(pick(list(self.branches)))] if len(self.branches) > 3 else []
        pick(actions)()
        self.count("actions")

    def killed_meanwhile(self, how):
        """The daemon ends at some instant of an action; a new one starts and must know everything."""
        def act():
            try:
                self.one_action()
            except Gone:
                self.count("cut off")
        actor = threading.Thread(target=act)
        actor.start()
        time.sleep(self.random.random() * 0.6)
        self.daemon.end(how)
        actor.join()
        self.daemon.start()
        self.count("daemon kills" if how == signal.SIGKILL else "daemon restarts")
        self.reconcile()

    def reconcile(self):
        """An action that was cut off was done or not; both are fine, but nothing in between."""
        _, listed = call("GET", "/v1/sandboxes")
        states = {each["id"]: each["state"] for each in listed}
        known = {**self.running, **self.paused}
        for identity, value in known.items():
            self.running.pop(identity, None), self.paused.pop(identity, None)
            if identity not in states:
                if identity not in self.dying:
                    self.fail("%s was acknowledged and is lost" % identity)
            elif states[identity] == "paused":
                self.paused[identity] = value
            else:
                self.running[identity] = value
        for identity in set(states) - set(known):
            # Made for a request that was never answered, or kept of one that was to be ended.
            call("DELETE", "/v1/sandboxes/%s" % identity)
            self.count("unacknowledged")
        _, snapshots = call("GET", "/v1/snapshots")
        there = {each["tag"]: each["status"] for each in snapshots}
        for tag in list(self.branches):
            if there.get(tag) != "ready":
                self.fail("branch %s was acknowledged and is %s" % (tag, there.get(tag, "lost")))
                del self.branches[tag]
        for tag in set(there) - set(self.branches) - {BASE}:
            if not tag.startswith("pause-"):
                call("DELETE", "/v1/snapshots/%s" % tag)
        for identity in list(self.running):
            self.read(identity)

    def vmm_killed(self):
        if not self.running:
            return
        identity = self.random.choice(list(self.running))
        _, info = call("GET", "/v1/sandboxes/%s" % identity)
        del self.running[identity]
        os.kill(info["pid"], signal.SIGKILL)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            status, answer = call("GET", "/v1/sandboxes/%s" % identity)
            if status == 404:
                break
            time.sleep(0.05)
        if status != 404 or "VMM" not in answer["error"]:
            self.fail("a killed VMM of %s is told as %d %r" % (identity, status, answer))
        self.count("VMM kills")

    def disk_full(self):
        free = shutil.disk_usage(DATA).free
        with open(FILLER, "wb") as filler:
            os.posix_fallocate(filler.fileno(), 0, max(4096, free - (1 << 20)))
        self.full = True
        for _ in range(4):
            self.one_action()
        if self.random.random() < 0.5:
            self.killed_meanwhile(signal.SIGKILL)
        os.unlink(FILLER)
        self.full = False
        self.reconcile()
        self.count("full disks")

    def clock_jumps(self):
        set_clock(self.random.choice([3600, -3600, 0, 30 * 86400, -86400]))
        self.count("clock jumps")

    def run(self):
        began = time.monotonic()
        self.daemon.start()
        self.fork()
        self.pause(next(iter(self.running)))
        self.resume(next(iter(self.paused)))
        self.dying = set()
        descriptors = self.daemon.descriptors()
        events = [
            (5, lambda: self.killed_meanwhile(signal.SIGKILL)),
            (2, lambda: self.killed_meanwhile(signal.SIGTERM)),
            (3, self.vmm_killed),
            (1, self.disk_full),
            (2, self.clock_jumps),
        ]
        while time.monotonic() - began < self.seconds and self.failures < 20:
            for _ in range(self.random.randrange(2, 8)):
                self.one_action()
            self.random.choices([event for _, event in events], [weight for weight, _ in events])[0]()
        set_clock(0)
        self.reconcile()
        self.finish(descriptors)
        print("chaos: %d s, %s, %d failures" % (
            time.monotonic() - began, ", ".join("%d %s" % (n, what) for what, n in sorted(self.counts.items())), self.failures))

    # Nothing may be left.

    def finish(self, descriptors):
        for identity in list(self.running) + list(self.paused):
            self.kill(identity)
        self.branches.clear()
        self.expect("snapshots", self.remove_all)
        self.expect("sandboxes", lambda: call("GET", "/v1/sandboxes")[1])
        self.expect("VMM processes", self.vmms)
        self.expect("sandbox folders", lambda: os.listdir(os.path.join(RUN, "sb")))
        self.expect("cgroups", self.cgroups)
        self.expect("half snapshots", lambda: os.listdir(os.path.join(DATA, "snapshots", ".staging")) if os.path.isdir(os.path.join(DATA, "snapshots", ".staging")) else [])
        self.expect("descriptors beyond those at first", lambda: ["+%d" % (self.daemon.descriptors() - descriptors)] if self.daemon.descriptors() > descriptors + 8 else [])
        self.daemon.end(signal.SIGTERM)
        self.expect("network namespaces", lambda: [n for n in os.listdir("/run/netns") if HASH in n] if os.path.isdir("/run/netns") else [])
        self.expect("mounts", lambda: [m for m in open("/proc/mounts").read().splitlines() if RUN in m or ("netns" in m and HASH in m)])
        self.expect("network devices", lambda: [d for d in os.listdir("/sys/class/net") if d.startswith("fk" + HASH[:6])])
        self.expect("tables of the firewall", lambda: [t for t in subprocess.run(["nft", "list", "tables"], capture_output=True, text=True).stdout.splitlines() if HASH in t])
        with sqlite3.connect(os.path.join(DATA, "registry.db")) as registry:
            self.expect("damage of the registry", lambda: [r for r in registry.execute("PRAGMA integrity_check") if r != ("ok",)])

    @staticmethod
    def remove_all():
        """Those that others depend on go in a later round; what is left of pauses the daemon collects."""
        tags = [each["tag"] for each in call("GET", "/v1/snapshots")[1] if each["tag"] != BASE]
        for tag in tags:
            call("DELETE", "/v1/snapshots/%s" % tag)
        return tags

    def expect(self, what, look):
        left = look()
        deadline = time.monotonic() + 30
        while left and time.monotonic() < deadline:
            time.sleep(0.2)
            left = look()
        if left:
            self.fail("left behind, %s: %s" % (what, left))

    @staticmethod
    def vmms():
        found = []
        for cwd in glob.glob("/proc/[0-9]*/cwd"):
            try:
                if os.readlink(cwd).startswith(RUN):
                    found.append(cwd)
            except OSError:
                pass
        return found

    @staticmethod
    def cgroups():
        return [g for g in glob.glob("/sys/fs/cgroup/**/%s/sb-*" % GROUP, recursive=True)]


def main():
    seconds, snapshot = float(sys.argv[1]), sys.argv[2]
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.SystemRandom().randrange(1 << 32)
    print("chaos: %d s with seed %d" % (seconds, seed), flush=True)
    shutil.rmtree(WORK, ignore_errors=True)
    os.makedirs(DATA)
    with open(CLOCK, "wb") as clock:
        clock.write(struct.pack("q", 0))
    shim = os.path.join(HERE, "packaging", "chaos-clock.c")
    subprocess.run(["gcc", "-O2", "-Wall", "-shared", "-fPIC", "-o", SHIM, shim], check=True)
    image = os.path.join(WORK, "disk")
    with open(image, "wb") as disk:
        disk.truncate(DISK_MIB << 20)
    subprocess.run(["mkfs.ext4", "-q", "-F", image], check=True)
    subprocess.run(["mount", "-o", "loop", image, DATA], check=True)
    chaos = Chaos(seconds, seed)
    try:
        target = os.path.join(DATA, "snapshots", BASE)
        shutil.copytree(snapshot, target)
        manifest = os.path.join(target, "manifest.json")
        with open(manifest) as file:
            text = json.load(file)
        text["tag"] = BASE
        with open(manifest, "w") as file:
            json.dump(text, file)
        chaos.run()
    finally:
        if chaos.daemon.process and chaos.daemon.process.poll() is None:
            chaos.daemon.end(signal.SIGKILL)
        for cwd in Chaos.vmms():
            os.kill(int(cwd.split("/")[2]), signal.SIGKILL)
        subprocess.run(["umount", "-l", DATA], check=False)
        shutil.rmtree(RUN, ignore_errors=True)
        if chaos.failures == 0:
            shutil.rmtree(WORK, ignore_errors=True)
    sys.exit(1 if chaos.failures else 0)


main()
