"""Random bases of the shapes that are measured."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
from transformers import LlamaConfig, LlamaForCausalLM

from golden.tokenizer import save_tokenizer, train_tokenizer

SHAPES = {
    "nano": {
        "vocab_size": 4096,
        "hidden_size": 256,
        "intermediate_size": 688,
        "num_hidden_layers": 6,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
    },
    "smol135": {
        "vocab_size": 49152,
        "hidden_size": 576,
        "intermediate_size": 1536,
        "num_hidden_layers": 30,
        "num_attention_heads": 9,
        "num_key_value_heads": 3,
    },
}


def main(shape: str, folder: Path) -> None:
    """Writes a base of this shape, random by a fixed seed, in bfloat16 as bases usually are."""
    torch.manual_seed(1)
    config = LlamaConfig(
        **SHAPES[shape],
        max_position_embeddings=512,
        rms_norm_eps=1e-5,
        tie_word_embeddings=True,
        bos_token_id=None,
        eos_token_id=1,
        pad_token_id=0,
    )
    model = LlamaForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(folder)
    save_tokenizer(train_tokenizer(), folder)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
