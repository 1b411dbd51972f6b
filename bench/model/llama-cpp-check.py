"""Loads GGUF files in llama.cpp and compares log-probabilities with those of transformers and PEFT; see llama-cpp.ts."""

import json
import math
import sys
from pathlib import Path

import numpy as np
from llama_cpp import Llama

# Largest difference of a log-probability from the float32 reference. llama.cpp's products in half precision and Q8_0
# round weights of these random models much more than they do in a trained one.
ALLOWED = {"F32": 1e-4, "F16": 2e-2, "Q8_0": 0.5}
# ggml number of float32: the cache is in half precision by default.
F32_CACHE = 0


def log_probs(model: Llama, ids: list[int]) -> list[float]:
    model.reset()
    model.eval(ids)
    found = []
    for index, token in enumerate(ids[1:]):
        row = model.scores[index].astype(np.float64)
        largest = row.max()
        found.append(float(row[token] - largest - math.log(np.exp(row - largest).sum())))
    return found


def main() -> int:
    folder, golden, *names = sys.argv[1:]
    worst_ever = 0
    for name in names:
        expected = json.loads((Path(golden) / name / "expected.json").read_text())
        base = f"{folder}/{name}-base-F32.gguf"
        cases = [
            ("base", "F32", base, None, expected["logProbs"]),
            ("base", "F16", f"{folder}/{name}-base-F16.gguf", None, expected["logProbs"]),
            ("base", "Q8_0", f"{folder}/{name}-base-Q8_0.gguf", None, expected["logProbs"]),
            ("merged", "F32", f"{folder}/{name}-merged-F32.gguf", None, expected["adapterLogProbs"]),
            ("adapter", "F32", base, f"{folder}/{name}-adapter-F32.gguf", expected["adapterLogProbs"]),
        ]
        for part, quant, path, lora, figures in cases:
            model = Llama(
                path, lora_path=lora, n_ctx=256, n_threads=2, logits_all=True, type_k=F32_CACHE, type_v=F32_CACHE, verbose=False
            )
            worst = 0.0
            for ids, wanted in zip(expected["sequences"], figures, strict=True):
                for got, want in zip(log_probs(model, ids), wanted, strict=True):
                    worst = max(worst, abs(got - want))
            verdict = "ok" if worst <= ALLOWED[quant] else "DIFFERS"
            worst_ever += verdict != "ok"
            print(f"{name:14} {part:8} {quant:5} largest difference {worst:.2e}  {verdict}", flush=True)
            model.close()
    return 1 if worst_ever else 0


sys.exit(main())
