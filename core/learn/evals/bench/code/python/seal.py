"""Takes everything that leads to JavaScript out of a Pyodide interpreter."""

import asyncio
import gc
import sys

ROOTS = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core")


def seal():
    asyncio.set_event_loop_policy(None)
    for finder in sys.meta_path:
        if hasattr(finder, "jsproxies"):
            finder.jsproxies.clear()
    sys.meta_path[:] = [finder for finder in sys.meta_path if not hasattr(finder, "jsproxies")]
    for name in list(sys.modules):
        if name.partition(".")[0] in ROOTS:
            module = sys.modules[name]
            if type(module) is type(sys):
                module.__dict__.clear()
            sys.modules[name] = None
    for name in ROOTS:
        sys.modules[name] = None
    gc.collect()
