"""Log-probabilities of tokens under a causal model."""

from __future__ import annotations

import torch


def token_log_probs(model: torch.nn.Module, ids: list[int]) -> torch.Tensor:
    """[t] = log p(ids[t + 1] | ids[0..t]), one shorter than `ids`; differentiable."""
    logits = model(input_ids=torch.tensor([ids]), use_cache=False).logits[0]
    return logits[:-1].log_softmax(-1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0]


def answer_log_probs(model: torch.nn.Module, prompt: list[int], answer: list[int]) -> torch.Tensor:
    """[t] = log p(answer[t] | prompt, answer[0..t)); differentiable."""
    return token_log_probs(model, prompt + answer)[-len(answer) :]
