"""How the Python kernel tells of exceptions."""

import os
import traceback

TRACEBACK_LIMIT = 64 * 1024
ERROR_LIMIT = 4096
HERE = os.path.dirname(__file__)


def one_line(error):
    """An exception as 'TypeError: what it says', whatever its __str__ does."""
    name = type(error).__qualname__
    try:
        text = str(error)
    except BaseException as nested:
        text = "<its text raised %s>" % type(nested).__qualname__
    text = " ".join(text.split("\n"))[:ERROR_LIMIT]
    return "%s: %s" % (name, text) if text else name


def user_traceback(error):
    """The traceback without the kernel's own frames."""
    try:
        told = traceback.TracebackException(type(error), error, error.__traceback__)
        told.stack[:] = [frame for frame in told.stack if os.path.dirname(frame.filename) != HERE]
        if not told.stack:
            told = traceback.TracebackException(type(error), error, None)
        text = "".join(told.format())
    except BaseException as nested:
        text = "<the traceback raised %s>\n" % type(nested).__qualname__
    return text if len(text) <= TRACEBACK_LIMIT else "…" + text[-TRACEBACK_LIMIT:]


def as_failure(error):
    """An exception as an event."""
    line, name = one_line(error), type(error).__qualname__
    return {"type": "failure", "name": name, "value": line[len(name) + 2 :], "traceback": user_traceback(error)}
