"""What the Python kernel does in a child of a fork."""

import random
import struct
import sys
import types


class Forks:
    """Callables that user code wants to run in every child of a fork."""

    def __init__(self):
        self.module = types.ModuleType("forkd", "What user code can ask of the sandbox it runs in.")
        self.module.after_fork = self.after_fork
        self.functions = []
        sys.modules["forkd"] = self.module

    def after_fork(self, function):
        """Runs function() in every child right after it was forked; usable as a decorator."""
        if not callable(function):
            raise TypeError("forkd.after_fork needs a callable")
        self.functions.append(function)
        return function

    def reseed(self, seed):
        """Gives every generator that user code shares a state of its own; returns what was done."""
        done = ["random"]
        # Both are the same algorithm and would walk in step from one seed: each gets half of it.
        half = len(seed) // 2
        random.seed(int.from_bytes(seed[:half], "little"))
        numpy_random = sys.modules.get("numpy.random")
        if numpy_random is not None:
            numpy_random.seed(list(struct.unpack("<%dI" % (half // 4), seed[half:])))
            done.append("numpy.random")
        ssl = sys.modules.get("ssl")
        if ssl is not None:
            ssl.RAND_add(seed, float(len(seed)))
            done.append("ssl")
        for function in list(self.functions):
            function()
            done.append(getattr(function, "__qualname__", type(function).__qualname__))
        return done
