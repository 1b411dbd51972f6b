"""Log-probabilities of texts by transformers and PEFT, for comparison.

Reads JSON lines {base, adapter, text} from stdin, `adapter` null for none, and answers each with {ids, logProbs}, where
logProbs[t] belongs to ids[t + 1].
"""

from __future__ import annotations

import functools
import json
import sys
from pathlib import Path

import torch
from peft import PeftModel
from tokenizers import Tokenizer
from transformers import AutoModelForCausalLM

from golden.log_probs import token_log_probs


@functools.cache
def load(base: str, adapter: str | None) -> torch.nn.Module:
    """A base, with an adapter on it or without, in float32."""
    model = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, local_files_only=True)
    return (model if adapter is None else PeftModel.from_pretrained(model, adapter)).eval()


def main() -> None:
    torch.set_num_threads(1)
    for line in sys.stdin:
        case = json.loads(line)
        # The file itself: transformers puts the defaults of some families in place of what it says.
        ids = Tokenizer.from_file(str(Path(case["base"]) / "tokenizer.json")).encode(case["text"]).ids
        with torch.no_grad():
            log_probs = token_log_probs(load(case["base"], case["adapter"]), ids)
        print(json.dumps({"ids": ids, "logProbs": log_probs.tolist()}), flush=True)


if __name__ == "__main__":
    main()
