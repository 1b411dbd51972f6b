from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from svc_client import (
    Artifact,
    AuthenticationError,
    CompileError,
    InvalidRequestError,
    NotFoundError,
    Svc,
    verify,
)
from svc_client._frame import inputs_of
from svc_client.generated.api.artifacts import list_artifacts

from .conftest import NAMES, initials


def test_runs_one_input_with_its_receipt(artifact: Artifact) -> None:
    answer = artifact.run("Tim Lee")
    assert answer.output == "T. Lee"
    assert answer.receipt is not None and answer.receipt["spec"] == "rs-1"


def test_runs_many_inputs_in_their_order(artifact: Artifact) -> None:
    rows = list(artifact.run_many(f"Name{i} Family{i}" for i in range(300)))
    assert [row.row for row in rows] == list(range(1, 301))
    assert [row.output for row in rows[:2]] == ["N. Family0", "N. Family1"]


def test_runs_a_data_frame(artifact: Artifact) -> None:
    frame = pd.DataFrame({"name": ["Tim Lee", "Ada Wong"], "age": [1, 2]}, index=[10, 20])
    answered = artifact.run_frame(frame, input="name")
    assert list(answered.columns[:3]) == ["name", "age", "output"]
    assert answered.loc[20, "output"] == "A. Wong"
    again = artifact.run_frame(answered[["name", "output"]], input="name")
    assert list(again["svc_output"]) == ["T. Lee", "A. Wong"]


def test_runs_a_data_frame_of_any_labels_and_names(artifact: Artifact) -> None:
    frame = pd.DataFrame({"name": ["Tim Lee", "Ada Wong"], "output": [1, 2], "svc_output": [3, 4]}, index=[7, 7])
    answered = artifact.run_frame(frame, input="name")
    assert list(answered.index) == [7, 7]
    assert list(answered["svc_svc_output"]) == ["T. Lee", "A. Wong"]
    nothing = artifact.run_frame(frame.iloc[:0], input="name")
    assert (len(nothing), list(nothing.columns)) == (0, list(answered.columns))


def test_inputs_of_a_data_frame_are_exact() -> None:
    frame = pd.DataFrame({"n": [0.1234567890123, None], "t": pd.to_datetime(["2026-01-02 03:04:05.000006", None])})
    frame["i"] = [2**53, 1]
    assert inputs_of(frame, None) == [
        {"n": 0.1234567890123, "t": "2026-01-02T03:04:05.000006", "i": 2**53},
        {"n": None, "t": None, "i": 1},
    ]
    assert inputs_of(frame[["i"]], None) == [2**53, 1]


def test_downloads_and_verifies_the_archive(svc: Svc, artifact: Artifact, tmp_path: Path) -> None:
    file = tmp_path / "name.svc"
    artifact.download(file)
    keys = svc.keys()
    verified = verify(file, keys=keys)
    assert verified == svc.verify(file)
    assert artifact.job is not None
    assert (verified.ok, verified.trusted, verified.job_id) == (True, "trusted", artifact.job["job_id"])
    assert verify(file).trusted == "unknown_signer"
    assert not verify(file, keys=[]).ok
    content = file.read_bytes()
    for place in (40, len(content) // 3, len(content) // 2):
        changed = bytearray(content)
        changed[place] ^= 1
        assert not verify(bytes(changed), keys=keys).ok, f"byte {place}"


def test_compiles_a_file(svc: Svc, tmp_path: Path) -> None:
    file = tmp_path / "names.csv"
    file.write_text("\n".join(["name,short", *(f"{name},{initials(name)}" for name in NAMES), ""]))
    made = svc.compile_file(file, mapping={"input": ["name"], "output": "short"}).wait()
    assert made.run("Tim Lee").output == "T. Lee"


def test_says_why_a_compile_has_no_artifact(svc: Svc) -> None:
    noise = [(name, f"{(i * 7919) % 101}{len(name)}") for i, name in enumerate(NAMES)]
    with pytest.raises(CompileError) as caught:
        svc.compile(noise, recipe_kind="program").wait()
    assert caught.value.job["status"] != "completed"


def test_raises_typed_errors(svc: Svc) -> None:
    with pytest.raises(NotFoundError):
        svc.concept("cpt_00000000000000000000000000").run("x")
    with pytest.raises(AuthenticationError):
        Svc(api_key="wrong").compile([("a", "b")])
    with pytest.raises(InvalidRequestError) as caught:
        svc.compile([("a", "b")], k_score_floor=7)
    assert [fault["field"] for fault in caught.value.fields] == ["k_score_floor"]


def test_calls_any_other_route_by_the_generated_operations(svc: Svc, artifact: Artifact) -> None:
    answer = list_artifacts.sync(client=svc.client)
    assert answer is not None and artifact.job is not None
    assert artifact.job["artifact_id"] in [each.id for each in answer.artifacts]
