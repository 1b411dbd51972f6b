from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from svc_client import QuotaError, RateLimitError, ServerError, Svc, SvcError, UnreachableError

Answer = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(*answers: Answer) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Serves the answers in turn; gives the address, and the headers of the calls so far."""
    calls: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", "0")))
            calls.append({name.lower(): value for name, value in self.headers.items()})
            answers[len(calls) - 1](self)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", calls
    finally:
        server.shutdown()
        server.server_close()


def drop(call: BaseHTTPRequestHandler) -> None:
    call.connection.shutdown(socket.SHUT_RDWR)


def refuse(status: int, code: str = "no", **headers: str) -> Answer:
    return _answer(status, json.dumps({"error": "no", "code": code}), headers)


def answer(body: Any) -> Answer:
    return _answer(200, json.dumps(body), {})


def _answer(status: int, text: str, headers: dict[str, str]) -> Answer:
    def send(call: BaseHTTPRequestHandler) -> None:
        call.send_response(status)
        for name, value in headers.items():
            call.send_header(name.replace("_", "-"), value)
        call.send_header("content-length", str(len(text.encode())))
        call.end_headers()
        call.wfile.write(text.encode())

    return send


RUN = {"output": 1, "abstained": False, "confidence": None, "unlike_examples": None, "receipt": None}


def test_repetitions_send_the_same_key_until_the_call_is_answered() -> None:
    with serving(drop, refuse(502), answer(RUN)) as (url, calls):
        assert Svc(url, "k").version("ver_1").run("x").output == 1
    assert len(calls) == 3
    assert len({call["idempotency-key"] for call in calls}) == 1


def test_repetitions_keep_retry_after_and_end_after_as_many_as_were_asked_for() -> None:
    started = time.monotonic()
    with serving(refuse(429, retry_after="1"), refuse(429)) as (url, calls), pytest.raises(RateLimitError):
        Svc(url, "k", retries=1).version("ver_1").run("x")
    assert len(calls) == 2
    assert time.monotonic() - started >= 1


def test_repetitions_do_not_wait_longer_than_was_asked_for() -> None:
    with serving(refuse(503, retry_after="3600")) as (url, _), pytest.raises(SvcError) as caught:
        Svc(url, "k").version("ver_1").run("x")
    assert (caught.value.status, caught.value.retry_after) == (503, 3600)


def test_a_call_that_may_have_done_something_and_has_no_key_is_left_alone() -> None:
    with serving(drop) as (url, calls), pytest.raises(UnreachableError):
        Svc(url, "k").job("cmp_1").cancel()
    assert len(calls) == 1


def test_a_call_without_a_key_is_repeated_only_when_the_service_says_that_it_is_busy() -> None:
    with serving(refuse(503, "busy", retry_after="0"), answer({}), refuse(503)) as (url, calls):
        Svc(url, "k").job("cmp_1").cancel()
        with pytest.raises(ServerError):
            Svc(url, "k").job("cmp_1").cancel()
    assert len(calls) == 3


def test_a_batch_that_the_quota_stopped_raises_its_error() -> None:
    stop = {"error": {"code": "quota_exhausted", "message": "no units"}, "resume_row": 1, "row": 1}
    with serving(_answer(200, json.dumps(stop) + "\n", {})) as (url, calls), pytest.raises(QuotaError):
        list(Svc(url, "k").version("ver_1").run_many([1]))
    with serving() as (url, calls):
        assert list(Svc(url, "k").version("ver_1").run_many([])) == []
    assert calls == []


def test_rows_are_split_at_line_feeds_only() -> None:
    output = "a\u2028b\u2029c\x85d"
    row = {"row": 1, "output": output, "abstained": False, "confidence": None, "unlike_examples": None}
    with serving(_answer(200, json.dumps(row, ensure_ascii=False) + '\n{"batch":{}}\n', {})) as (url, _):
        assert [row.output for row in Svc(url, "k").version("ver_1").run_many([1])] == [output]


def test_a_batch_continues_after_the_last_row_that_came() -> None:
    def lines(first: int, last: int) -> str:
        facts = {"abstained": False, "confidence": None, "unlike_examples": None}
        return "".join(json.dumps({"row": i, "output": i, **facts}) + "\n" for i in range(first, last + 1))

    def cut(call: BaseHTTPRequestHandler) -> None:
        call.send_response(200)
        call.send_header("content-length", "100000")
        call.end_headers()
        call.wfile.write(lines(1, 3).encode() + b'{"row":4,"out')
        call.wfile.flush()
        drop(call)

    rest = _answer(200, lines(4, 5) + '{"batch":{}}\n', {})
    with serving(cut, rest) as (url, calls):
        rows = list(Svc(url, "k").version("ver_1").run_many([1, 2, 3, 4, 5]))
    assert [row.output for row in rows] == [1, 2, 3, 4, 5]
    assert len({call["idempotency-key"] for call in calls}) == 1
