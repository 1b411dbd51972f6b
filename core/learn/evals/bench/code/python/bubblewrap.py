"""Entry point inside of bubblewrap. Reads from stdin the length of a request in ten digits, the request as JSON, and a word. Writes lines
to stdout: `ready` and `failed` after the word of the request, `passed` after the word that follows the request."""

import json
import os
import resource
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import harness

DIGITS = 10
WORD_BYTES = 48


def read_exactly(count):
    data = bytearray()
    while len(data) < count:
        chunk = os.read(0, count - len(data))
        if not chunk:
            raise EOFError
        data += chunk
    return bytes(data)


class Report:
    """The two parts of the line that reports `passed`, in the order in which `os.writev` asks for them: the word, then the verdict, for
    which the program runs. Meanwhile `writev` alone holds the word, where no Python code can reach it, and it writes only if the program
    comes back: an error ends it."""

    def __init__(self, program):
        self.program = program

    def __len__(self):
        return 2

    def __getitem__(self, part):
        return read_exactly(WORD_BYTES) if part == 0 else harness.run(self.program).encode() + b"\n"


request = json.loads(read_exactly(int(read_exactly(DIGITS))))
for limit, value in (
    (resource.RLIMIT_AS, request["memory_bytes"]),
    (resource.RLIMIT_FSIZE, request["memory_bytes"]),
    (resource.RLIMIT_CORE, 0),
    (resource.RLIMIT_NOFILE, 64),
):
    resource.setrlimit(limit, (value, value))
descriptor, word = os.dup(1), request["word"].encode()
os.dup2(2, 1)
harness.prepare(request["seconds"])
# Whatever ends this process from here on is the program's doing.
os.write(descriptor, word + b"ready\n")
try:
    os.writev(descriptor, Report(request["program"]))
except BaseException as error:
    failure = harness.failure_of(error).encode("utf-8", "replace")[: harness.MESSAGE_BYTES]
    os.write(descriptor, word + b"failed " + failure.hex().encode() + b"\n")
