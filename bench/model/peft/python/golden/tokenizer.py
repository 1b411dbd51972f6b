"""A small byte-level BPE tokenizer in the files of a Hugging Face directory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from .models import CONTEXT, VOCABULARY

SPECIAL_TOKENS = ["<|pad|>", "<|end|>", "<|input|>", "<|output|>"]
CHAT_TEMPLATE = (
    "{% for message in messages %}{% if message['role'] == 'user' %}<|input|>{{ message['content'] }}"
    "{% elif message['role'] == 'assistant' %}<|output|>{{ message['content'] }}<|end|>{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|output|>{% endif %}"
)
TEXT = [
    "turn the name into a slug, turn the date into words",
    "Which of the labels is right: refund, transfer, card or other?",
    "the order number is 1204 and the price was 56.30 euro; 789 items",
    '{"name": "Anna", "ok": true}',
]
SAMPLES = [
    "the order is right",
    "a name: 12.50",
    "refund or transfer?",
    "<|input|>the card<|output|>other<|end|>",
    "  two  spaces",
]


def train_tokenizer() -> Tokenizer:
    """A tokenizer whose alphabet is what `TEXT` holds, filled up with merges to the models' vocabulary."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.train_from_iterator(
        TEXT,
        trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL_TOKENS, min_frequency=1, show_progress=False),
    )
    assert tokenizer.get_vocab_size() == VOCABULARY, tokenizer.get_vocab_size()
    return tokenizer


def save_tokenizer(tokenizer: Tokenizer, folder: Path) -> None:
    """Writes tokenizer.json and tokenizer_config.json."""
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": CONTEXT,
        "pad_token": SPECIAL_TOKENS[0],
        "eos_token": SPECIAL_TOKENS[1],
        "chat_template": CHAT_TEMPLATE,
        "clean_up_tokenization_spaces": False,
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2, sort_keys=True) + "\n")


def encodings(tokenizer: Tokenizer) -> list[dict[str, Any]]:
    """Texts with their token ids and what those decode to."""
    found = []
    for text in SAMPLES:
        ids = tokenizer.encode(text).ids
        found.append({"text": text, "ids": ids, "decoded": tokenizer.decode(ids, skip_special_tokens=False)})
    return found
