"""A Temporal worker that fits LoRA adapters with transformers, PEFT and trl.

The environment of the libraries is settled here, before any of them is imported: nothing is ever downloaded, and
nothing is written to the terminal but the worker's own log.
"""

import os

os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_DATASETS_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
