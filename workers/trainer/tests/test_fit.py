"""Fits on small models: every objective learns, and an interrupted fit ends like an uninterrupted one."""

import base64
import json
import math
import tempfile
import unittest
import warnings
from pathlib import Path
from types import SimpleNamespace

import torch
from peft import PeftModel
from transformers import AutoModelForCausalLM

from svc_trainer.divergence import TaughtTrainer, collate_taught
from svc_trainer.document import FitDocument, Row, TeacherTokens, parse_document
from svc_trainer.failures import FitError, FitInterruptedError
from svc_trainer.fit import fit_adapter
from svc_trainer.hooks import FitResult, Progress

from .documents import GOLDEN, OBJECTIVES, document, encoded


class RecordingHooks:
    """Records the reports of a fit, and can stop it before a step."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.progress: list[Progress] = []
        self.checkpoints: list[bytes] = []
        self._stop_after = stop_after

    def on_progress(self, progress: Progress) -> None:
        self.progress.append(progress)

    def on_checkpoint(self, data: bytes, step: int) -> None:  # noqa: ARG002
        self.checkpoints.append(data)

    def should_stop(self) -> bool:
        return self._stop_after is not None and len(self.progress) + 1 >= self._stop_after


def parsed(objective: str = "supervised", **changes: object) -> FitDocument:
    return parse_document(encoded(document(objective, **changes)))


def fit(given: FitDocument, hooks: RecordingHooks | None = None, checkpoint: bytes | None = None) -> FitResult:
    return fit_adapter(given, [GOLDEN], hooks or RecordingHooks(), checkpoint=checkpoint)


class FitTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.set_num_threads(1)
        warnings.simplefilter("ignore", FutureWarning)

    def test_every_objective_lowers_its_loss(self) -> None:
        for objective in OBJECTIVES:
            with self.subTest(objective=objective):
                hooks = RecordingHooks()
                # Two random models come nearer to one another more slowly than an answer becomes likely.
                result = fit(parsed(objective, epochs=24 if objective == "gkd" else 6), hooks)
                losses = [progress.loss for progress in hooks.progress]
                self.assertLess(sum(losses[-3:]), 0.8 * sum(losses[:3]))
                self.assertEqual(result.steps, len(losses))

    def test_preference_losses_begin_where_an_adapter_without_effect_stands(self) -> None:
        # B is zero: policy and reference agree, so that dpo is log 2 and kto 1/2.
        for objective, expected in (("dpo", math.log(2)), ("kto", 0.5)):
            hooks = RecordingHooks()
            fit(parsed(objective, epochs=1), hooks)
            self.assertAlmostEqual(hooks.progress[0].loss or 0, expected, places=5)

    def test_counts_the_answers_of_the_student(self) -> None:
        for share, warmup, low, high in ((0, 0, 0, 0), (1, 0, 1, 1), (1, 0.5, 0.1, 0.6)):
            value = document("gkd", maxSteps=3)
            value["hyperparameters"]["objective"] = OBJECTIVES["gkd"] | {"lmbda": share, "warmup": warmup}
            hooks = RecordingHooks()
            result = fit(parse_document(encoded(value)), hooks)
            self.assertEqual(result.steps, 3)
            found = json.loads(result.training)["onPolicyShare"]
            self.assertTrue(low <= found <= high, found)
            self.assertEqual(hooks.progress[-1].details()["onPolicyShare"], found)

    def test_goes_on_from_an_adapter_and_learns_from_one(self) -> None:
        first = fit(parsed("supervised", epochs=12))
        adapter = {
            "config": first.adapter_config.decode(),
            "weights": base64.b64encode(first.adapter_model).decode(),
        }
        value = document("gkd", maxSteps=2)
        value["teacher"] = {"base": value["base"], "adapter": adapter}
        hooks = RecordingHooks()
        fit(parse_document(encoded(value | {"start": adapter})), hooks)
        # The student is its own teacher.
        self.assertAlmostEqual(hooks.progress[0].loss or 0, 0, places=5)
        with self.assertRaises(FitError) as caught:
            fit(parse_document(encoded(value | {"start": adapter | {"weights": "AAAA"}})))
        self.assertEqual(caught.exception.code, "invalid_adapter")

    def test_refuses_a_teacher_with_another_vocabulary(self) -> None:
        value = document("gkd", base="qwen3-moe")
        with self.assertRaises(FitError) as caught:
            fit(parse_document(encoded(value)))
        self.assertEqual(caught.exception.code, "teacher_vocab_mismatch")

    def test_divergences_are_those_of_the_embedded_trainer(self) -> None:
        # The golden losses of test/model/training/golden-divergence.test.ts.
        golden = json.loads((GOLDEN / "llama-tied/gkd/expected.json").read_text())
        base = AutoModelForCausalLM.from_pretrained(GOLDEN / "llama-tied", dtype=torch.float32)
        student = PeftModel.from_pretrained(base, GOLDEN / "llama-tied/adapter").eval()
        trainer = SimpleNamespace(objective=None)
        rows = [
            Row(str(i), row["prompt"], row["answer"], None, True, 1.0, TeacherTokens(128, None, flat(logits)))
            for i, (row, logits) in enumerate(zip(golden["rows"], golden["teacherLogits"], strict=True))
        ]
        for case in golden["cases"]:
            trainer.objective = SimpleNamespace(beta=case["beta"], temperature=case["temperature"])
            loss = TaughtTrainer.compute_loss(trainer, student, collate_taught(rows, 0))
            self.assertAlmostEqual(loss.item(), case["loss"], places=4)

    def test_files_load_in_peft_and_hold_what_was_learned(self) -> None:
        given = parsed(epochs=12)
        result = fit(given)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "adapter_config.json").write_bytes(result.adapter_config)
            (Path(folder) / "adapter_model.safetensors").write_bytes(result.adapter_model)
            base = AutoModelForCausalLM.from_pretrained(GOLDEN / given.base_name, dtype=torch.float32)
            model = PeftModel.from_pretrained(base, folder).eval()
        row = given.rows[0]
        with torch.no_grad():
            adapted = model(input_ids=torch.tensor([row.prompt + row.answer]), labels=_labels(row)).loss
            with model.disable_adapter():
                plain = model(input_ids=torch.tensor([row.prompt + row.answer]), labels=_labels(row)).loss
        self.assertLess(adapted.item(), 0.5 * plain.item())

    def test_an_interrupted_fit_gives_the_same_bytes(self) -> None:
        for objective in ("supervised", "dpo", "kto", "kd", "gkd"):
            with self.subTest(objective=objective):
                whole = fit(parsed(objective))
                checkpoint: bytes | None = None
                for stop_after in (3, 4):
                    hooks = RecordingHooks(stop_after)
                    with self.assertRaises(FitInterruptedError):
                        fit(parsed(objective), hooks, checkpoint)
                    checkpoint = hooks.checkpoints[-1]
                resumed = fit(parsed(objective), None, checkpoint)
                self.assertEqual(resumed.adapter_model, whole.adapter_model)
                self.assertEqual(resumed.adapter_config, whole.adapter_config)
                self.assertEqual(_history(resumed), _history(whole))

    def test_stops_early_and_keeps_the_best(self) -> None:
        result = fit(parsed(patience=2, epochs=40, learningRate=0.05))
        training = json.loads(result.training)
        risks = {entry["step"]: entry["risk"] for entry in training["history"]["validation"]}
        self.assertTrue(result.stopped_early)
        self.assertEqual(risks[result.best_step], min(risks.values()))
        self.assertLess(result.best_step, result.steps)

    def test_refuses_another_base(self) -> None:
        value = document()
        value["base"]["weightsHash"] = "sha256:" + "0" * 64
        with self.assertRaises(FitError) as caught:
            fit(parse_document(encoded(value)))
        self.assertEqual(caught.exception.code, "base_mismatch")

    def test_says_at_which_step_and_rows_a_fit_diverged(self) -> None:
        with self.assertRaises(FitError) as caught:
            fit(parsed(learningRate=1e30, gradClip=0.0, warmupRatio=0.0))
        self.assertEqual(caught.exception.code, "training_diverged")
        self.assertRegex(str(caught.exception), r"step 2, rows r1-\d")

    def test_refuses_a_checkpoint_that_is_none(self) -> None:
        with self.assertRaises(FitError) as caught:
            fit(parsed(), None, b"not a checkpoint")
        self.assertEqual(caught.exception.code, "invalid_checkpoint")


def flat(lists: list[list[float]]) -> list[float]:
    return [value for each in lists for value in each]


def _labels(row: object) -> torch.Tensor:
    return torch.tensor([[-100] * len(row.prompt) + row.answer])  # type: ignore[attr-defined]


def _history(result: FitResult) -> object:
    return json.loads(result.training)["history"]


if __name__ == "__main__":
    unittest.main()
