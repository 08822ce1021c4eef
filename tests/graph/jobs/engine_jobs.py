"""Jobs that only the tests know; the worker imports this file by its name."""

import ctypes
import importlib
import os
import sys
import time

import numpy as np


def echo(bench, document, options, progress):
    return {"document": document, "options": options, "pid": os.getpid()}


def count(bench, document, options, progress):
    """Runs Python code for a while and says so."""
    for step in range(options["steps"]):
        progress(step, options["steps"], f"step {step}")
        until = time.perf_counter() + 0.01
        while time.perf_counter() < until:
            pass
    return {"steps": options["steps"], "pid": os.getpid()}


def load(bench, document, options, progress):
    """Imports a package from a folder, which takes a while."""
    if options["folder"] not in sys.path:
        sys.path.insert(0, options["folder"])
    progress(0, 1, "importing")
    package = importlib.import_module(options["package"])
    progress(1, 1, "imported")
    time.sleep(options.get("seconds", 0.0))
    return {"value": package.core.value, "pid": os.getpid()}


def walk(bench, document, options, progress):
    """Goes from call to call: a few at once, then one that takes long."""
    for step, place in enumerate(options["places"]):
        progress(step, len(options["places"]), f"at {place}", place)
    time.sleep(options["seconds"])
    return {}


def sleep(bench, document, options, progress):
    time.sleep(options["seconds"])
    return {}


def deaf(bench, document, options, progress):
    """Stays in C with the interpreter locked, as a hung kernel would: nothing in the process can stop it."""
    progress(0, 1, "deaf")
    ctypes.PyDLL(None).sleep(options["seconds"])
    return {}


def big(bench, document, options, progress):
    count = options["bytes"] // 4
    return {
        "array": np.arange(count, dtype=np.float32),
        "nested": [{"flags": np.array([True, False])}],
        "pid": os.getpid(),
    }


def fault(bench, document, options, progress):
    if options.get("ours"):
        from graph.room import RunError

        raise RunError("This cannot be.")
    raise ZeroDivisionError("a slip of ours\nwith details")


def unsendable(bench, document, options, progress):
    return {"set": {1}}


def die(bench, document, options, progress):
    os._exit(options["code"])
