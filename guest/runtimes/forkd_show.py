"""How the Python kernel shows a value: in all formats it has, and figures as pictures."""

import base64
import importlib.abc
import importlib.util
import io
import json
import sys

from forkd_output import bounded

FORMAT_LIMIT = 10 * 1024 * 1024

FORMATS = {
    "text/plain": "text",
    "text/html": "html",
    "text/markdown": "markdown",
    "text/latex": "latex",
    "image/svg+xml": "svg",
    "image/png": "png",
    "image/jpeg": "jpeg",
    "application/pdf": "pdf",
    "application/json": "json",
    "application/javascript": "javascript",
}
METHODS = ("html", "markdown", "latex", "svg", "png", "jpeg", "pdf", "json", "javascript")


def as_text(name, data):
    """One format as text: JSON as such, bytes in base64; None when it is nothing of the kind."""
    if name == "json" and not isinstance(data, (str, bytes)):
        return json.dumps(data)
    if isinstance(data, (bytes, bytearray, memoryview)):
        return base64.b64encode(data).decode("ascii")
    return data if isinstance(data, str) else None


def without_metadata(data):
    """What a _repr_ method gave, which may be a pair of data and metadata."""
    return data[0] if isinstance(data, tuple) and len(data) == 2 else data


def asked(value, method, **arguments):
    """What a value's own method gives; None when it has none or that one fails."""
    if isinstance(value, type):
        return None  # the methods are its instances'
    try:
        return without_metadata(getattr(value, method)(**arguments))
    except Exception:
        return None


def is_figure(value):
    figures = sys.modules.get("matplotlib.figure")
    return figures is not None and isinstance(value, figures.Figure)


def picture(figure):
    with io.BytesIO() as file:
        figure.savefig(file, format="png", bbox_inches="tight")
        return base64.b64encode(file.getvalue()).decode("ascii")


def formats(value):
    """The value in every format it has, within a limit; its repr comes first and may raise."""
    found = {"text": bounded(repr(value), FORMAT_LIMIT)[0]}
    bundle = asked(value, "_repr_mimebundle_", include=None, exclude=None)
    offered = {}
    if isinstance(bundle, dict):
        offered = {FORMATS[mime]: data for mime, data in bundle.items() if mime in FORMATS}
    for name in METHODS:
        if name not in offered:
            offered[name] = asked(value, "_repr_%s_" % name)
    if is_figure(value):
        offered["png"] = picture(value)
    room = FORMAT_LIMIT
    for name, data in offered.items():
        try:
            text = as_text(name, data) if data is not None else None
        except Exception:
            continue  # a JSON that is none
        if text is not None and len(text) <= room:
            room -= len(text)
            found[name] = text
    return found


class Figures(importlib.abc.MetaPathFinder):
    """Makes matplotlib.pyplot.show() show figures as results, from the moment it is imported."""

    NAME = "matplotlib.pyplot"

    def __init__(self, display):
        self.display = display
        self.looking = False

    def find_spec(self, name, path, target=None):
        if name != self.NAME or self.looking:
            return None
        self.looking = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.looking = False
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def show(*args, **kwargs):
            """Shows every open figure and closes it."""
            self.show()

        def exec_module(module):
            load(module)
            module.show = show

        spec.loader.exec_module = exec_module
        return spec

    def show(self):
        pyplot = sys.modules.get(self.NAME)
        for number in pyplot.get_fignums() if pyplot is not None else ():
            figure = pyplot.figure(number)
            try:
                self.display(figure)
            finally:
                pyplot.close(figure)

    def forget(self, value):
        """A figure that was shown as a value is not shown again."""
        pyplot = sys.modules.get(self.NAME)
        if pyplot is not None and is_figure(value):
            pyplot.close(value)
