"""Documents are checked before anything is loaded."""

import unittest
from pathlib import Path

from svc_trainer.base import find_base, hash_weights
from svc_trainer.document import parse_document
from svc_trainer.failures import FitError
from svc_trainer.optimizer import learning_rate_at

from .documents import GOLDEN, OBJECTIVES, document, encoded


class DocumentTest(unittest.TestCase):
    def refusal(self, value: dict[str, object]) -> FitError:
        with self.assertRaises(FitError) as caught:
            parse_document(encoded(value))
        return caught.exception

    def test_reads_every_objective(self) -> None:
        for objective in OBJECTIVES:
            self.assertEqual(parse_document(encoded(document(objective))).hyperparameters.objective.kind, objective)

    def test_names_the_field_that_is_wrong(self) -> None:
        error = self.refusal(document(rank=0))
        self.assertEqual(
            (error.code, str(error)),
            ("validation_failed", "document.hyperparameters.rank must be an integer from 1 to 1024"),
        )
        broken = document()
        broken["rows"][3]["prompt"] = []
        self.assertIn("document.rows[3].prompt", str(self.refusal(broken)))

    def test_refuses_what_it_cannot_train_on(self) -> None:
        self.assertEqual(self.refusal(document() | {"rows": []}).code, "no_training_rows")
        self.assertEqual(self.refusal(document(maxLength=4)).code, "example_too_large")
        self.assertIn("document.teacher", str(self.refusal(document("gkd") | {"teacher": None})))
        short = document("kd")
        short["rows"][0]["teacher"]["logProbs"].pop()
        self.assertIn("needs 2 numbers for each of 3 answer tokens", str(self.refusal(short)))
        weighted = document("dpo")
        weighted["rows"][0]["weight"] = 2
        self.assertEqual(self.refusal(weighted).code, "validation_failed")

    def test_schedule_rises_and_falls_as_the_embedded_trainers(self) -> None:
        hyperparameters = parse_document(encoded(document(learningRate=1.0))).hyperparameters
        rates = [learning_rate_at(step, 20, hyperparameters) for step in range(1, 21)]
        self.assertEqual(rates[:2], [0.5, 1.0])
        self.assertAlmostEqual(rates[10], 0.1 + 0.9 * 0.5)
        self.assertAlmostEqual(rates[-1], 0.1)


class BaseTest(unittest.TestCase):
    def test_hashes_weights_as_the_service_does(self) -> None:
        expected = "sha256:2117339bda27e4585756eefb48d0bc2d6c3b84bc62c1822c8a7cb38af6bfa31a"
        self.assertEqual(hash_weights(GOLDEN / "llama-tied"), expected)

    def test_finds_bases_by_plain_names_alone(self) -> None:
        self.assertEqual(find_base("qwen2", [Path("/nowhere"), GOLDEN]), GOLDEN / "qwen2")
        for name in ("../golden/qwen2", "nowhere", "", "."):
            with self.assertRaises(FitError) as caught:
                find_base(name, [GOLDEN])
            self.assertEqual(caught.exception.code, "unknown_base_model")


if __name__ == "__main__":
    unittest.main()
