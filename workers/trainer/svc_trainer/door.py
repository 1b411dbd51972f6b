"""The door of the service for trainers on rented machines and on machines of a pool: HTTP with the standard library.

A machine knows the address and a one-time token. It opens its lease with a secret that it chooses, and shows that secret
from then on, so that a second machine with the same token gets nothing.
"""

from __future__ import annotations

import http.client
import json
import secrets
import time
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Any, Final

_TIMEOUT_SECONDS: Final = 120.0
_LONGEST_WAIT_SECONDS: Final = 15.0
_MAX_BYTES: Final = 8 << 30
_RETRIED: Final = frozenset({408, 425, 429, 500, 502, 503, 504, 507})


class DoorClosedError(Exception):
    """The service refuses this machine: its lease is over, or another machine has it."""


class DoorUnreachableError(Exception):
    """The service did not answer for too long."""


@dataclass(frozen=True)
class Lease:
    """The work of a machine."""

    lease_id: str
    #: Step of the newest checkpoint; None when the fit begins.
    checkpoint_step: int | None
    seconds_between_reports: float
    seconds_between_checkpoints: float


class Door:
    """Calls of one machine. Failures that may pass are tried again for `patience_seconds`."""

    def __init__(self, url: str, token: str, *, patience_seconds: float = 300.0) -> None:
        self._url = url.rstrip("/")
        self._token = token
        self._secret = secrets.token_hex(32)
        self._patience_seconds = patience_seconds

    def open_lease(self) -> Lease:
        """Opens the lease. Safe to repeat: the secret stays the same."""
        return _lease(self._json("lease", {"secret": self._secret}, bearer=self._token))

    def lease_fit(self, worker: str) -> tuple[Lease | None, float]:
        """Leases the next fit of a pool, whose token this is; None when none waits. Safe to repeat.

        Returns also the seconds after which to ask again.
        """
        answer = self._json("pool", {"secret": self._secret, "worker": worker}, bearer=self._token)
        lease = answer["lease"]
        return None if lease is None else _lease(lease), float(answer["ask_again_s"])

    def read_document(self) -> bytes:
        """The rows and settings of the fit."""
        return self._call("GET", "document")

    def read_checkpoint(self) -> bytes:
        """The newest checkpoint."""
        return self._call("GET", "checkpoint")

    def report(self, progress: dict[str, Any]) -> bool:
        """Reports progress and shows that the machine lives. Returns True when it is asked to stop."""
        return bool(self._json("progress", progress)["state"] == "stop")

    def send_file(self, name: str, data: bytes, step: int = 0) -> None:
        """Sends a checkpoint or a file of the adapter."""
        boundary = secrets.token_hex(16)
        head = (
            f"--{boundary}\r\n"
            f'Content-Disposition: form-data; name="file"; filename="{name}"\r\n'
            "Content-Type: application/octet-stream\r\n\r\n"
        )
        body = b"".join([head.encode(), data, f"\r\n--{boundary}--\r\n".encode()])
        media_type = f"multipart/form-data; boundary={boundary}"
        self._call("POST", f"files?name={name}&step={step}", body=body, media_type=media_type)

    def finish(self, result: dict[str, Any]) -> None:
        """Says that the fit is done; its files were sent before."""
        self._json("finish", result)

    def fail(self, code: str) -> None:
        """Gives the fit up."""
        self._json("failure", {"code": code})

    def _json(self, path: str, body: dict[str, Any], bearer: str | None = None) -> dict[str, Any]:
        data = self._call("POST", path, body=json.dumps(body).encode(), media_type="application/json", bearer=bearer)
        value = json.loads(data)
        if not isinstance(value, dict):
            raise DoorClosedError(f"{path} answered no object")
        return value

    def _call(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None = None,
        media_type: str | None = None,
        bearer: str | None = None,
    ) -> bytes:
        headers = {"Authorization": f"Bearer {bearer or self._secret}"}
        if media_type is not None:
            headers["Content-Type"] = media_type
        deadline = time.monotonic() + self._patience_seconds
        wait = 0.25
        while True:
            request = urllib.request.Request(  # noqa: S310 - the operator gave the address
                f"{self._url}/v1/trainer/{path}", data=body, headers=headers, method=method
            )
            try:
                with urllib.request.urlopen(request, timeout=_TIMEOUT_SECONDS) as response:  # noqa: S310
                    data: bytes = response.read(_MAX_BYTES)
                    return data
            except urllib.error.HTTPError as error:
                if error.code not in _RETRIED:
                    raise DoorClosedError(f"{path} answered {error.code}") from None
                reason = f"{path} answered {error.code}"
            except (OSError, http.client.HTTPException) as error:
                reason = f"{path}: {type(error).__name__}"
            if time.monotonic() + wait > deadline:
                raise DoorUnreachableError(reason)
            time.sleep(wait)
            wait = min(2 * wait, _LONGEST_WAIT_SECONDS)


def _lease(answer: dict[str, Any]) -> Lease:
    checkpoint = answer["checkpoint"]
    return Lease(
        lease_id=str(answer["lease_id"]),
        checkpoint_step=None if checkpoint is None else int(checkpoint["step"]),
        seconds_between_reports=float(answer["report_every_s"]),
        seconds_between_checkpoints=float(answer["checkpoint_every_s"]),
    )
