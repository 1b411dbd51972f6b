/**
 * Programs that do not come to their end and take `passed` by force, by the way they go. A program here knows all names of the harness in
 * its sandbox, since it can read its files.
 */
export const FORGERIES: Readonly<Record<string, string>> = {
  'the end of the process': 'import os\nos._exit(0)',
  'sys.exit(0)': 'import sys\nsys.exit(0)',
  'lines that look like a report': `
import os
for fd in range(64):
    try:
        os.write(fd, b"passed\\n" * 9)
    except OSError:
        pass
os._exit(0)`,
  'an output without end': `
import os
while True:
    for fd in range(64):
        try:
            os.write(fd, b"x" * 65536)
        except OSError:
            pass`,
  'a changed harness, asked again at the end of the interpreter': `
import atexit, builtins, os, sys
main = sys.modules["__main__"]
harness = sys.modules.get("harness") or main
builtins.exec = harness.exec = lambda *given: None
harness.run = lambda program: "passed"
harness.guard = harness.prepare = lambda *given: None
harness.failure_of = lambda error: "passed"
def again():
    os.writev(main.descriptor, main.Report("pass"))
atexit.register(again)
raise SystemExit`,
  'changed builtins': `
import builtins, sys
builtins.exec = lambda *given: "passed"
builtins.isinstance = lambda *given: True
builtins.BaseException = builtins.Exception = ZeroDivisionError
sys.modules["harness"] = sys.modules["__main__"]
raise SystemExit`,
  'values of all frames': `
import os, sys, threading, time
seen = set()
def look(frame):
    while frame is not None:
        for values in (frame.f_locals, frame.f_globals):
            for value in list(values.values()):
                for each in value.values() if isinstance(value, dict) else [value]:
                    each = each.encode() if isinstance(each, str) else each
                    if isinstance(each, bytes) and len(each) == 48: seen.add(each)
        for name in ("error", "message", "verdict", "program", "part"):
            frame.f_locals[name] = "passed"
        frame = frame.f_back
def report():
    for word in seen:
        for fd in range(64):
            try:
                os.write(fd, word + b"passed\\n")
            except OSError:
                pass
look(sys._getframe())
report()
raise SystemExit`,
  'frames of other code, seen by a signal and by a thread': `
import gc, os, signal, sys, threading
seen = set()
def look(frame):
    while frame is not None:
        for value in list(frame.f_locals.values()):
            if isinstance(value, (bytes, str)) and len(value) == 48: seen.add(value)
        frame = frame.f_back
signal.signal(signal.SIGVTALRM, lambda number, frame: look(frame))
signal.setitimer(signal.ITIMER_VIRTUAL, 0.0001, 0.0001)
gc.callbacks.append(lambda *given: look(sys._getframe()))
gc.set_threshold(1)
sys.setswitchinterval(1e-6)
def watch():
    for _ in range(2000):
        for frame in sys._current_frames().values(): look(frame)
thread = threading.Thread(target=watch)
thread.start()
for _ in range(2000): sys.audit("svc.failed", "none")
thread.join()
for word in seen:
    word = word.encode() if isinstance(word, str) else word
    for fd in range(64):
        try:
            os.write(fd, word + b"passed\\n")
        except OSError:
            pass
raise SystemExit`,
  'a pipe in place of the report': `
import os, sys, threading
descriptor = sys.modules["__main__"].descriptor
real = os.dup(descriptor)
source, sink = os.pipe()
os.dup2(sink, descriptor)
def take():
    line = os.read(source, 4096)
    os.write(real, line.split(b"failed")[0] + b"passed\\n")
    os.write(real, line[:48] + b"passed\\n")
threading.Thread(target=take).start()
raise SystemExit`,
  'what is left in stdin': `
import os, sys
word = sys.__stdin__.buffer.peek() or os.read(0, 48) or bytes(48)
for fd in range(64):
    try:
        os.write(fd, word + b"passed\\n")
    except OSError:
        pass
raise SystemExit`,
  'a refusal taken off through its own frame': `
import gc, sys
try:
    gc.get_objects()
except RuntimeError as error:
    at = error.__traceback__
    while at is not None:
        for name in ("events", "modules"):
            at.tb_frame.f_locals[name] = frozenset()
        at.tb_frame.f_locals["own"] = ""
        at = at.tb_next
def jump(frame, event, argument):
    if event == "line" and frame.f_code.co_name == "tested":
        frame.f_lineno = frame.f_code.co_firstlineno + 2
    return jump
def tested(answer):
    assert answer == 4
    return answer
sys.settrace(jump)
tested(0)`,
  'a tracer that jumps': `
import sys
def trace(frame, event, given):
    return trace
frame = sys._getframe()
while frame is not None:
    frame.f_trace = trace
    frame = frame.f_back
sys.settrace(trace)`,
  'all objects': 'import gc\nfor each in gc.get_objects(): pass',
  ctypes: 'import ctypes',
  'ctypes, by its module of C': `
import sys, importlib
sys.modules.pop("_ctypes", None)
importlib.import_module("_ctypes")`,
  'machine code of its own': `
import importlib.machinery, importlib.util
open("/tmp/svc-forgery.so", "wb").write(b"\\x7fELF")
loader = importlib.machinery.ExtensionFileLoader("forgery", "/tmp/svc-forgery.so")
importlib.util.module_from_spec(importlib.util.spec_from_loader("forgery", loader))`,
  'machine code under a name that compares as it likes': `
import importlib.machinery, importlib.util
class Any(str):
    def startswith(self, *given): return True
    def __contains__(self, part): return False
open("/tmp/svc-forgery.so", "wb").write(b"\\x7fELF")
loader = importlib.machinery.ExtensionFileLoader("forgery", Any("/tmp/svc-forgery.so"))
try:
    importlib.util.module_from_spec(importlib.util.spec_from_loader("forgery", loader))
except ImportError as error:
    if "invalid ELF" not in str(error) and "file too short" not in str(error): raise`,
  'a subprocess': 'import subprocess\nsubprocess.run(["true"])',
}
