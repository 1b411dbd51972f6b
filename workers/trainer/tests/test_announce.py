"""The identity of the worker says what it can do."""

import re
import unittest
from typing import get_args

from svc_trainer.announce import announcement
from svc_trainer.document import ObjectiveKind


class AnnouncementTest(unittest.TestCase):
    def test_names_libraries_device_and_every_objective(self) -> None:
        first, *tokens = announcement().split(" ")
        self.assertRegex(first, r"^trainer@[^ ]+:\d+$")
        said = dict(token.split("/", 1) for token in tokens)
        self.assertTrue({"torch", "transformers", "peft", "trl"} <= said.keys())
        self.assertTrue(all(re.match(r"\d+\.\d+", said[name]) for name in ("torch", "trl")))
        self.assertIn(said["device"], ("cuda", "cpu"))
        self.assertEqual(said["objectives"].split(","), list(get_args(ObjectiveKind)))


if __name__ == "__main__":
    unittest.main()
