from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import httpx


class SvcError(Exception):
    """Any failure of a call to the service.

    ``code`` is the machine code (``unreachable`` when no answer came), ``status`` the HTTP status (0 then),
    ``retry_after`` the seconds after which a repetition makes sense.
    """

    def __init__(
        self,
        message: str,
        *,
        code: str,
        status: int,
        request_id: str | None = None,
        details: Mapping[str, Any] | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.request_id = request_id
        self.details: Mapping[str, Any] = details or {}
        self.retry_after = retry_after


class UnreachableError(SvcError):
    """The service cannot be reached."""


class AuthenticationError(SvcError):
    """The key is missing, wrong, ended or without the scope (401, 403)."""


class QuotaError(SvcError):
    """The units of the month are used up (402)."""


class NotFoundError(SvcError):
    """There is no such thing, or it belongs to another tenant (404)."""


class ConflictError(SvcError):
    """The request contradicts the present state (409, 410)."""


class RateLimitError(SvcError):
    """Too many calls (429); ``retry_after`` says when the next one makes sense."""


class InvalidRequestError(SvcError):
    """The request is wrong (other 4xx); ``fields`` names each wrong field."""

    @property
    def fields(self) -> list[dict[str, str]]:
        return list(self.details.get("fields", []))


class ServerError(SvcError):
    """The service failed or is overloaded (5xx)."""


class CompileError(SvcError):
    """A compile that ended without a signed artifact; ``job`` says why."""

    def __init__(self, job: Mapping[str, Any]) -> None:
        status = str(job["status"])
        super().__init__(
            job.get("error") or f"the compile is {status}", code=job.get("error_code") or status, status=200
        )
        self.job = job


_BY_STATUS: Mapping[int, type[SvcError]] = {
    401: AuthenticationError,
    402: QuotaError,
    403: AuthenticationError,
    404: NotFoundError,
    409: ConflictError,
    410: ConflictError,
    429: RateLimitError,
}


_BY_CODE: Mapping[str, type[SvcError]] = {"quota_exhausted": QuotaError, "not_found": NotFoundError}


def error_by_code(message: str, *, code: str, details: Mapping[str, Any]) -> SvcError:
    """Returns an error inside an answer that began well: its kind follows from its code."""
    return _BY_CODE.get(code, SvcError)(message, code=code, status=200, details=details)


def error_of(response: httpx.Response) -> SvcError:
    """Returns the error of an answer that is not 2xx and that was read."""
    try:
        body = response.json()
    except ValueError:
        body = None
    facts: Mapping[str, Any] = body if isinstance(body, dict) else {}
    status = response.status_code
    kind = _BY_STATUS.get(status) or (ServerError if status >= 500 else InvalidRequestError)
    return kind(
        facts.get("error") or f"the service answered {status}",
        code=facts.get("code") or f"http_{status}",
        status=status,
        request_id=facts.get("request_id"),
        details=facts.get("details"),
        retry_after=_seconds(response.headers.get("retry-after")),
    )


def _seconds(header: str | None) -> float | None:
    try:
        return None if header is None else float(header)
    except ValueError:
        return None
