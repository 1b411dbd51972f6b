"""Runs tasks with lm-evaluation-harness and writes its figures and samples as JSON: lm-eval-peer.py FOLDER BASE TASK,TASK OUT."""

import json
import os
import sys

os.environ["TOKENIZERS_PARALLELISM"] = "false"
os.environ["HF_DATASETS_OFFLINE"] = "1"

import time

import lm_eval
import torch
from lm_eval.models.huggingface import HFLM
from lm_eval.tasks import TaskManager

folder, base, tasks, out = sys.argv[1:5]
torch.set_num_threads(1)
model = HFLM(pretrained=base, dtype="float32", device="cpu", batch_size=16)
manager = TaskManager(include_path=folder, include_defaults=False)
seconds = {}
results = {}
samples = {}
for task in tasks.split(","):
    started = time.perf_counter()
    answer = lm_eval.simple_evaluate(
        model=model, tasks=[task], task_manager=manager, bootstrap_iters=100, log_samples=True
    )
    seconds[task] = time.perf_counter() - started
    results[task] = answer["results"][task]
    samples[task] = [
        {
            "doc_id": sample["doc_id"],
            "filter": sample["filter"],
            "arguments": [[each for each in args if isinstance(each, str)] for args in sample["arguments"]],
            "resps": [each[0] for each in sample["resps"]],
            "metrics": {name: sample[name] for name in sample["metrics"] if isinstance(sample[name], (int, float))},
        }
        for sample in answer["samples"][task]
    ]
with open(out, "w") as file:
    json.dump({"seconds": seconds, "results": results, "samples": samples}, file, default=float)
