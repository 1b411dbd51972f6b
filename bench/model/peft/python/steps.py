"""Training steps by PEFT on torch, as they are usually written: padded batches in random order, logits everywhere.

`steps.py BASE ROWS BATCH_ROWS THREADS`; answers one JSON line for each line on stdin: `turn` trains one pass over the
rows and tells {seconds, tokens, loss}, `end` tells {peakMb} and ends. Tokens are those that are not padding.
"""

from __future__ import annotations

import json
import random
import re
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from peft import LoraConfig, get_peft_model
from transformers import AutoModelForCausalLM

TARGETS = ["q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"]
IGNORED = -100


def collate(rows: list[dict[str, Any]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Inputs, mask and targets [rows, longest]; the last token of a row is a target only."""
    longest = max(len(row["prompt"]) + len(row["answer"]) for row in rows) - 1
    inputs, mask, targets = [], [], []
    for row in rows:
        ids = row["prompt"] + row["answer"]
        padding = [0] * (longest - len(ids) + 1)
        inputs.append(ids[:-1] + padding)
        mask.append([1] * (len(ids) - 1) + padding)
        targets.append([IGNORED] * (len(row["prompt"]) - 1) + row["answer"] + [IGNORED] * len(padding))
    return torch.tensor(inputs), torch.tensor(mask), torch.tensor(targets)


def peak_mb() -> float:
    """The largest resident set of this process so far."""
    found = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found.group(1)) / 1024 if found else float("nan")


def main(base: str, rows_path: str, batch_rows: int, threads: int) -> None:
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    rows = json.loads(Path(rows_path).read_text())
    plain = AutoModelForCausalLM.from_pretrained(base, dtype=torch.float32, local_files_only=True)
    model = get_peft_model(plain, LoraConfig(r=16, lora_alpha=32, target_modules=TARGETS, task_type="CAUSAL_LM"))
    model.train()
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    optimizer = torch.optim.AdamW(weights, lr=1e-4)
    order = random.Random(1)
    for command in sys.stdin:
        if command.strip() == "end":
            print(json.dumps({"peakMb": peak_mb()}), flush=True)
            return
        order.shuffle(rows)
        started = time.perf_counter()
        loss = torch.zeros(())
        for first in range(0, len(rows), batch_rows):
            inputs, mask, targets = collate(rows[first : first + batch_rows])
            # A mask without padding would only make attention slower.
            padded = {} if bool(mask.all()) else {"attention_mask": mask}
            logits = model(input_ids=inputs, use_cache=False, **padded).logits
            loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=IGNORED)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(weights, 1.0)
            optimizer.step()
            optimizer.zero_grad()
        seconds = time.perf_counter() - started
        tokens = sum(len(row["prompt"]) + len(row["answer"]) - 1 for row in rows)
        print(json.dumps({"seconds": seconds, "tokens": tokens, "loss": loss.item()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
