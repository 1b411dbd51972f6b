from __future__ import annotations

import json
import os
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx

from ._artifact import Artifact
from ._job import Job
from ._transport import RetryingTransport
from ._verify import Verification, verify
from .generated import Client

# The task of a compile that names none.
_TASK = "Answer as the examples do"

Example = Sequence[Any] | Mapping[str, Any]


class Svc:
    """A service, with one key.

    ``url`` is ``SVC_URL`` when absent, else ``http://127.0.0.1:8080``; ``api_key`` is ``SVC_API_KEY``. Calls raise
    ``SvcError`` and its kinds. Reads, and writes that the service knows by an ``Idempotency-Key``, are repeated ``retries``
    times after transient failures; no pause is longer than ``max_pause`` seconds. ``timeout`` is the time to wait for bytes.
    """

    def __init__(
        self,
        url: str | None = None,
        api_key: str | None = None,
        *,
        retries: int = 4,
        max_pause: float = 30.0,
        timeout: float = 150.0,
    ) -> None:
        self.url = (url or os.environ.get("SVC_URL") or "http://127.0.0.1:8080").rstrip("/")
        key = api_key or os.environ.get("SVC_API_KEY")
        transport = RetryingTransport(httpx.HTTPTransport(), retries=retries, max_pause=max_pause)
        self.http = httpx.Client(
            base_url=self.url,
            headers={} if key is None else {"X-API-Key": key},
            timeout=timeout,
            transport=transport,
        )
        # For the generated operations: generated.api.artifacts.list_artifacts.sync(client=svc.client).
        self.client = Client(base_url=self.url).set_httpx_client(self.http)
        self._keys: list[dict[str, str]] | None = None

    def close(self) -> None:
        """Closes the connections."""
        self.http.close()

    def __enter__(self) -> Svc:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def compile(self, examples: Iterable[Example], *, task: str = _TASK, **options: Any) -> Job:
        """Starts a compile of examples, each a pair ``(input, output)`` or a mapping.

        ``options`` are the other fields of ``POST /v1/compile``, for example ``k_score_floor=0.9``.
        """
        rows = [dict(e) if isinstance(e, Mapping) else {"input": e[0], "output": e[1]} for e in examples]
        body = {**options, "task": task, "mode": "async", "examples": rows}
        answer = self.http.post("/v1/compile", json=body, headers={"Idempotency-Key": _new_key()})
        return Job(self, answer.json()["job_id"])

    def compile_file(self, path: str | os.PathLike[str], *, task: str = _TASK, **options: Any) -> Job:
        """Starts a compile of a file: CSV, TSV, a workbook, JSON or JSON lines.

        ``mapping={"input": …, "output": …}`` says which columns of a table are the inputs and which is the output.
        """
        spec = json.dumps({**options, "task": task, "mode": "async"})
        parts = {"spec": (None, spec), "file": (Path(path).name, Path(path).read_bytes())}
        answer = self.http.post("/v1/compile", files=parts, headers={"Idempotency-Key": _new_key()})
        return Job(self, answer.json()["job_id"])

    def job(self, job_id: str) -> Job:
        """Returns a job by its id."""
        return Job(self, job_id)

    def concept(self, concept_id: str) -> Artifact:
        """Returns the newest version of a concept."""
        return Artifact(self, {"concept_id": concept_id})

    def version(self, version_id: str) -> Artifact:
        """Returns a version, which stays as it is."""
        return Artifact(self, {"version_id": version_id})

    def keys(self) -> list[dict[str, str]]:
        """Returns the public keys that this service signs with, as JWKs."""
        if self._keys is None:
            self._keys = self.http.get("/.well-known/jwks.json").json()["keys"]
        return self._keys

    def verify(self, archive: str | os.PathLike[str] | bytes) -> Verification:
        """Verifies that an archive is intact and signed by this service."""
        return verify(archive, keys=self.keys())


def _new_key() -> str:
    return str(uuid.uuid4())
