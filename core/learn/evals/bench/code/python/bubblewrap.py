"""Entry point inside of bubblewrap: reads a request as JSON from stdin and writes the verdict to stdout, after a word that the program
cannot read."""

import json
import os
import resource
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness


def report_to(descriptor, word):
    """Returns an audit hook that reports the verdict of `settle`. The hook alone holds the word. It is called for a report only from the
    frame of `settle` at the bottom of the main thread, and `passed` only from its own line."""
    code = harness.settle.__code__
    main = threading.get_ident()
    get_ident, get_frame, write = threading.get_ident, sys._getframe, os.write
    passed_line = next(
        line for start, end, line in code.co_lines() if line is not None and is_passed_line(harness.__file__, line)
    )

    def hook(event, args):
        if event != "svc.passed" and event != "svc.failed":
            return
        frame = get_frame(1)
        if frame.f_code is not code or frame.f_back is None or frame.f_back.f_back is not None or get_ident() != main:
            return
        if event == "svc.passed":
            if frame.f_lineno == passed_line:
                write(descriptor, word + b" passed\n")
        else:
            write(descriptor, word + b" " + args[0].encode("utf-8", "replace")[:16000].hex().encode() + b"\n")

    return hook


def is_passed_line(file, line):
    with open(file) as text:
        return text.read().splitlines()[line - 1].strip() == 'audit("svc.passed")'


request = json.loads(sys.stdin.buffer.readline())
for limit, value in (
    (resource.RLIMIT_AS, request["memory_bytes"]),
    (resource.RLIMIT_FSIZE, request["memory_bytes"]),
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_NOFILE, 64),
):
    resource.setrlimit(limit, (value, value))
descriptor, word = os.dup(1), request.pop("word").encode()
# Whatever ends this process from here on is the program's doing.
os.write(descriptor, word + b" ready\n")
sys.addaudithook(report_to(descriptor, word))
del word
os.dup2(2, 1)
harness.settle(request["program"], request["seconds"])
