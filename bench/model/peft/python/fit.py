"""Fits adapters by the `peft` trainer, without its worker.

Reads JSON lines {document, bases, out}, all paths, from stdin and answers each with {} when the adapter lies in `out`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "workers" / "trainer"))

from svc_trainer.document import parse_document
from svc_trainer.fit import fit_adapter
from svc_trainer.hooks import Progress


class Quiet:
    """Ignores progress."""

    def on_progress(self, progress: Progress) -> None:
        pass

    def on_checkpoint(self, data: bytes, step: int) -> None:
        pass

    def should_stop(self) -> bool:
        return False


def fit(document: Path, bases: Path, out: Path) -> None:
    """Writes the three files of a fit."""
    result = fit_adapter(parse_document(document.read_bytes()), [bases], Quiet())
    out.mkdir(parents=True, exist_ok=True)
    (out / "adapter_config.json").write_bytes(result.adapter_config)
    (out / "adapter_model.safetensors").write_bytes(result.adapter_model)
    (out / "training.json").write_bytes(result.training)


if __name__ == "__main__":
    for line in sys.stdin:
        job = json.loads(line)
        fit(Path(job["document"]), Path(job["bases"]), Path(job["out"]))
        print("{}", flush=True)
