"""Documents of small fits on the golden models of the TypeScript tests."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path
from typing import Any

from svc_trainer.base import hash_weights

GOLDEN = Path(__file__).resolve().parents[3] / "test" / "model" / "golden"

OBJECTIVES: dict[str, dict[str, Any]] = {
    "supervised": {"kind": "supervised"},
    "distillation": {"kind": "distillation"},
    "dpo": {"kind": "dpo", "beta": 0.1},
    "simpo": {"kind": "simpo", "beta": 2, "gammaBetaRatio": 0.5},
    "orpo": {"kind": "orpo", "lambda": 0.1},
    "kto": {"kind": "kto", "beta": 0.1, "desirableWeight": 1, "undesirableWeight": 1},
    "kd": {"kind": "kd", "beta": 0.5, "temperature": 1},
    "gkd": {"kind": "gkd", "beta": 0.5, "lmbda": 0.5, "temperature": 1, "maxNewTokens": 4, "warmup": 0},
}


#: Another base with the same vocabulary.
TEACHER = {"base": {"name": "llama-untied", "weightsHash": hash_weights(GOLDEN / "llama-untied")}, "adapter": None}


def document(objective: str = "supervised", base: str = "llama-tied", **changes: Any) -> dict[str, Any]:
    """A fit of 12 rows whose answers follow a rule, so that a loss has somewhere to go."""
    hyperparameters = {
        "objective": OBJECTIVES[objective],
        "rank": 4,
        "alpha": 8,
        "targetModules": ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"],
        "epochs": 6,
        "batchTokens": 64,
        "accumulation": 1,
        "learningRate": 0.01,
        "warmupRatio": 0.1,
        "finalLearningRateShare": 0.1,
        "weightDecay": 0.01,
        "beta1": 0.9,
        "beta2": 0.999,
        "epsilon": 1e-8,
        "gradClip": 1.0,
        "maxLength": 64,
        "seed": 3,
        "validationShare": 0.1,
        "evaluationsPerEpoch": 1,
        "patience": 0,
    }
    return {
        "format": "svc-fit/1",
        "base": {"name": base, "weightsHash": hash_weights(GOLDEN / base)},
        "hyperparameters": hyperparameters | changes,
        "rows": rows(objective, 12, seed=1),
        "validation": rows(objective, 3, seed=2),
        **({"teacher": TEACHER} if objective == "gkd" else {}),
    }


def rows(objective: str, count: int, seed: int) -> list[dict[str, Any]]:
    """The answer repeats the prompt's last token, then ends; the worse answer repeats its first one."""
    source = random.Random(seed)
    found: list[dict[str, Any]] = []
    for index in range(count):
        prompt = [source.randrange(4, 128) for _ in range(source.randrange(3, 12))]
        good, bad = [prompt[-1], prompt[-1], 1], [prompt[0], 1]
        row: dict[str, Any] = {"id": f"r{seed}-{index}", "prompt": prompt, "weight": 1}
        if objective in {"dpo", "simpo", "orpo"}:
            row |= {"chosen": good, "rejected": bad}
        elif objective == "kto":
            row |= {"answer": good if index % 2 == 0 else bad, "isDesirable": index % 2 == 0}
        elif objective == "kd":
            # Sure of the rule, with some doubt about its other token.
            others = [token for good_token in good for token in (good_token, 2 if good_token != 2 else 3)]
            sure = [math.log(0.9), math.log(0.05)] * len(good)
            row |= {"answer": good, "teacher": {"k": 2, "ids": others, "logProbs": sure}}
        else:
            row |= {"answer": good}
        found.append(row)
    return found


def encoded(value: dict[str, Any]) -> bytes:
    """Returns the bytes of its blob."""
    return json.dumps(value).encode()
