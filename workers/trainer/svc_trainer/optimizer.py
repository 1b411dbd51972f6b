"""AdamW and its schedule, the same as the embedded trainer's."""

from __future__ import annotations

import math

import torch
from peft import PeftModel

from .document import Hyperparameters

#: The type that transformers' trainers take.
Optimizers = tuple[torch.optim.Optimizer, torch.optim.lr_scheduler.LambdaLR]


def make_optimizers(model: PeftModel, hyperparameters: Hyperparameters, steps: int) -> Optimizers:
    """Returns AdamW over the adapter, and the schedule for a fit of this many steps."""
    optimizer = torch.optim.AdamW(
        [weight for weight in model.parameters() if weight.requires_grad],
        lr=hyperparameters.learning_rate,
        betas=(hyperparameters.beta1, hyperparameters.beta2),
        eps=hyperparameters.epsilon,
        weight_decay=hyperparameters.weight_decay,
    )

    def share(steps_done: int) -> float:
        return learning_rate_at(steps_done + 1, steps, hyperparameters) / hyperparameters.learning_rate

    return optimizer, torch.optim.lr_scheduler.LambdaLR(optimizer, share)


def learning_rate_at(step: int, steps: int, hyperparameters: Hyperparameters) -> float:
    """The learning rate of a step, from 1 to `steps`: a linear rise over the warm-up, then half a cosine."""
    warmup = math.ceil(hyperparameters.warmup_ratio * steps)
    if step <= warmup:
        return hyperparameters.learning_rate * step / warmup
    progress = (step - warmup) / max(1, steps - warmup)
    final = hyperparameters.final_learning_rate_share
    return hyperparameters.learning_rate * (final + (1 - final) * 0.5 * (1 + math.cos(math.pi * progress)))
