from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import httpx

from ._artifact import Artifact
from ._errors import CompileError
from ._transport import lines_of

if TYPE_CHECKING:
    from ._svc import Svc

# ``gated`` ends the log unless the job is accepted.
_LAST_KINDS = frozenset({"done", "error"})


@dataclass(frozen=True)
class JobEvent:
    """One event of the log of a job: ``hello``, ``step.start``, ``progress``, ``metric``, ``step.end``, ``done`` …"""

    kind: str
    body: dict[str, Any]


class Job:
    """A compile."""

    def __init__(self, svc: Svc, job_id: str) -> None:
        self._svc = svc
        self.id = job_id

    def get(self) -> dict[str, Any]:
        """Returns the job in full, as ``GET /v1/compile/{id}`` answers."""
        return dict(self._svc.http.get(f"/v1/compile/{self.id}").json())

    def cancel(self) -> None:
        """Ends the job."""
        self._svc.http.post(f"/v1/compile/{self.id}/cancel")

    def answer(self, question: int, answer: Any) -> None:
        """Answers a question of the compile: ``{"output": …}``, ``"skip"`` or ``"invalid_input"``."""
        self._svc.http.post(
            f"/v1/compile/{self.id}/answers",
            json={"question": question, "answer": answer},
            headers={"Idempotency-Key": str(uuid.uuid4())},
        )

    def events(self) -> Iterator[JobEvent]:
        """Yields the events from the first to the last, each once.

        A lost connection is opened again after the last event.
        """
        last_id: str | None = None
        while True:
            headers = {"Accept": "text/event-stream", **({} if last_id is None else {"Last-Event-ID": last_id})}
            try:
                with self._svc.http.stream("GET", f"/v1/compile/stream/{self.id}", headers=headers) as answer:
                    for event_id, event in _messages(lines_of(answer)):
                        if event_id is not None and event_id == last_id:
                            continue
                        last_id = event_id or last_id
                        yield event
                        if event.kind in _LAST_KINDS or (event.kind == "gated" and not self._is_being_signed()):
                            return
            except httpx.TransportError:
                # The next attempt raises when the service cannot be reached.
                continue

    def _is_being_signed(self) -> bool:
        """Returns whether a gated job is accepted and not yet signed: more events follow."""
        return bool(self.get().get("accepted", {}).get("state") == "pending")

    def wait(self, on_event: Callable[[JobEvent], None] | None = None) -> Artifact:
        """Waits for the signed artifact, of an accepted job too. Raises ``CompileError`` when there is none."""
        for event in self.events():
            if on_event is not None:
                on_event(event)
        job = self.get()
        if job["status"] != "completed":
            raise CompileError(job)
        return Artifact(self._svc, {"version_id": job["version_id"]}, job)


def _messages(lines: Iterator[str]) -> Iterator[tuple[str | None, JobEvent]]:
    """Reads server-sent events (HTML standard, section 9.2)."""
    event_id: str | None = None
    kind, data = "message", list[str]()
    for line in lines:
        if line == "":
            if data:
                yield event_id, JobEvent(kind, json.loads("\n".join(data)))
            kind, data = "message", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "id":
            event_id = value
        elif name == "event":
            kind = value
        elif name == "data":
            data.append(value)
