from __future__ import annotations

import time
from collections.abc import Iterator

import httpx

from ._errors import SvcError, UnreachableError, error_of

_FIRST_PAUSE_S = 0.25
# No answer, or one after which something may have been done.
_UNCERTAIN = frozenset({0, 500, 502, 503, 504})


class RetryingTransport(httpx.BaseTransport):
    """Raises ``SvcError`` for answers that are not 2xx and for lost connections.

    Reads, and writes with an ``Idempotency-Key``, are repeated; other writes only when the service says that it did nothing.
    ``Retry-After`` is kept.
    """

    def __init__(self, inner: httpx.BaseTransport, *, retries: int, max_pause: float) -> None:
        self._inner = inner
        self._retries = retries
        self._max_pause = max_pause

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        # A body that is repeated has to be in memory.
        request.read()
        may_repeat = request.method == "GET" or "idempotency-key" in request.headers
        attempt = 0
        while True:
            outcome = self._attempt(request)
            if isinstance(outcome, httpx.Response):
                return outcome
            is_transient = _is_refused(outcome) or (may_repeat and outcome.status in _UNCERTAIN)
            pause = outcome.retry_after if outcome.retry_after is not None else _FIRST_PAUSE_S * 2**attempt
            if not is_transient or attempt >= self._retries or pause > self._max_pause:
                raise outcome
            time.sleep(pause)
            attempt += 1

    def _attempt(self, request: httpx.Request) -> httpx.Response | SvcError:
        try:
            response = self._inner.handle_request(request)
            if response.is_success:
                return response
            response.read()
            return error_of(response)
        except httpx.TransportError as error:
            url = request.url
            return UnreachableError(
                f"cannot reach {url.scheme}://{url.netloc.decode()}: {error}", code="unreachable", status=0
            )

    def close(self) -> None:
        self._inner.close()


def lines_of(response: httpx.Response) -> Iterator[str]:
    """Yields the lines of an answer: JSON holds characters at which ``iter_lines`` would split, such as U+2028.

    A last line that was cut off is left out.
    """
    rest = b""
    for block in response.iter_bytes():
        *lines, rest = (rest + block).split(b"\n")
        for line in lines:
            yield line.removesuffix(b"\r").decode()


def _is_refused(error: SvcError) -> bool:
    """True for an answer that says that nothing was done: a rate limit, or the service's own word that it is busy."""
    return error.status == 429 or (error.status == 503 and error.code == "busy")
