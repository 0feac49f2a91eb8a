"""Runs named cases one after the other and writes what became of each."""

import json
import sys
import time
import traceback


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
