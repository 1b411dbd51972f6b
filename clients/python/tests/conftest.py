from __future__ import annotations

import pytest

from svc_client import Artifact, Svc

NAMES = ["Ada Lovelace", "Grace Hopper", "Alan Turing", "Edsger Dijkstra", "Barbara Liskov", "Donald Knuth"]


def initials(name: str) -> str:
    first, last = name.split(" ")
    return f"{first[0]}. {last}"


@pytest.fixture(scope="session")
def svc() -> Svc:
    """The live service: ``SVC_URL``, ``SVC_API_KEY``."""
    return Svc()


@pytest.fixture(scope="session")
def artifact(svc: Svc) -> Artifact:
    kinds: list[str] = []
    job = svc.compile([(name, initials(name)) for name in NAMES], task="Shorten a name")
    made = job.wait(on_event=lambda event: kinds.append(event.kind))
    assert {"step.start", "done"} <= set(kinds)
    return made
