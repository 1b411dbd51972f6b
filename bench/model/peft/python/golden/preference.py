"""Preference losses over given log-probabilities: trl's own functions where trl has one, and the formula beside it.

w is the chosen and l the rejected answer; lp is the sum of an answer's log-probabilities, |.| its length in tokens.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import torch
import torch.nn.functional as F
from trl.experimental.cpo import CPOTrainer
from trl.experimental.orpo import ORPOTrainer

CPU = SimpleNamespace(device=torch.device("cpu"))


def dpo(
    chosen: torch.Tensor, rejected: torch.Tensor, ref_chosen: torch.Tensor, ref_rejected: torch.Tensor, beta: float
) -> torch.Tensor:
    """-log s(beta * [(lp_w - ref_w) - (lp_l - ref_l)]) per row; what DPOTrainer computes in line for 'sigmoid'."""
    return -F.logsigmoid(beta * ((chosen - ref_chosen) - (rejected - ref_rejected)))


def simpo(chosen_mean: torch.Tensor, rejected_mean: torch.Tensor, beta: float, gamma: float) -> torch.Tensor:
    """-log s(beta * lp_w/|w| - beta * lp_l/|l| - gamma) per row, by trl's CPOTrainer."""
    settings = SimpleNamespace(
        alpha=0.0, beta=beta, loss_type="simpo", simpo_gamma=gamma, label_smoothing=0.0, accelerator=CPU
    )
    return CPOTrainer.cpo_loss(settings, chosen_mean, rejected_mean)[0]


def orpo(chosen_mean: torch.Tensor, rejected_mean: torch.Tensor, weight: float) -> torch.Tensor:
    """-lp_w/|w| - weight * log s(log odds_w - log odds_l) per row, the second term by trl's ORPOTrainer."""
    settings = SimpleNamespace(beta=weight, accelerator=CPU)
    return -chosen_mean - ORPOTrainer.odds_ratio_loss(settings, chosen_mean, rejected_mean)[0]


def kto(
    log_probs: torch.Tensor,
    reference: torch.Tensor,
    is_desirable: torch.Tensor,
    kl: float,
    beta: float,
    weights: tuple[float, float],
) -> torch.Tensor:
    """Desirable: 1 - s(beta * (lp - ref - kl)); undesirable: 1 - s(beta * (kl - lp + ref)); what KTOTrainer computes in line."""
    ratio = log_probs - reference
    return torch.where(
        is_desirable,
        weights[0] * (1 - torch.sigmoid(beta * (ratio - kl))),
        weights[1] * (1 - torch.sigmoid(beta * (kl - ratio))),
    )


def _leaf(values: list[float]) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def preference_cases() -> list[dict[str, Any]]:
    """Cases with inputs, losses per row, and the gradients of the rows' mean loss."""
    chosen, rejected = [-12.5, -3.25, -40.0, -0.5, -7.0], [-11.0, -9.5, -38.5, -0.75, -90.0]
    ref_chosen, ref_rejected = [-13.0, -4.0, -35.0, -0.6, -8.0], [-10.5, -9.0, -39.0, -0.5, -60.0]
    chosen_lengths, rejected_lengths = [5, 2, 12, 1, 3], [4, 6, 10, 1, 30]
    lengths = {"chosenLengths": chosen_lengths, "rejectedLengths": rejected_lengths}
    cases: list[dict[str, Any]] = []
    for beta in (0.1, 0.5):
        w, l = _leaf(chosen), _leaf(rejected)
        losses = dpo(w, l, torch.tensor(ref_chosen), torch.tensor(ref_rejected), beta)
        inputs = {
            "chosen": chosen,
            "rejected": rejected,
            "referenceChosen": ref_chosen,
            "referenceRejected": ref_rejected,
        }
        cases.append(_pair_case("dpo", inputs | {"beta": beta}, losses, w, l))
    for beta, gamma in ((2.0, 1.0), (2.5, 0.5)):
        w, l = _leaf(chosen), _leaf(rejected)
        losses = simpo(w / torch.tensor(chosen_lengths), l / torch.tensor(rejected_lengths), beta, gamma)
        inputs = {"chosen": chosen, "rejected": rejected, **lengths, "beta": beta, "gamma": gamma}
        cases.append(_pair_case("simpo", inputs, losses, w, l))
    for weight in (0.1, 1.0):
        w, l = _leaf(chosen), _leaf(rejected)
        losses = orpo(w / torch.tensor(chosen_lengths), l / torch.tensor(rejected_lengths), weight)
        cases.append(
            _pair_case("orpo", {"chosen": chosen, "rejected": rejected, **lengths, "lambda": weight}, losses, w, l)
        )
    labels = [True, False, True, True, False]
    for kl_ratios, weights in (([0.5, -0.25, 1.0, 0.0, 2.0], (1.0, 1.0)), ([-1.0, -2.0, 0.5, 0.25, 0.0], (1.0, 1.5))):
        lp = _leaf(chosen)
        kl = max(0.0, sum(kl_ratios) / len(kl_ratios))
        losses = kto(lp, torch.tensor(ref_chosen), torch.tensor(labels), kl, 0.1, weights)
        losses.mean().backward()
        cases.append(
            {
                "objective": "kto",
                "logProbs": chosen,
                "reference": ref_chosen,
                "labels": labels,
                "klLogRatios": kl_ratios,
                "kl": kl,
                "beta": 0.1,
                "desirableWeight": weights[0],
                "undesirableWeight": weights[1],
                "losses": losses.tolist(),
                "gradient": lp.grad.tolist(),
            }
        )
    for case in cases:
        assert all(math.isfinite(value) for value in case["losses"])
    return cases


def _pair_case(
    objective: str, inputs: dict[str, Any], losses: torch.Tensor, w: torch.Tensor, l: torch.Tensor
) -> dict[str, Any]:
    losses.mean().backward()
    gradients = {"chosenGradient": w.grad.tolist(), "rejectedGradient": l.grad.tolist()}
    return {"objective": objective, **inputs, "losses": losses.tolist(), **gradients}
