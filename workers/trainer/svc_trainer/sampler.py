"""The order in which rows are visited."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from torch.utils.data import Sampler

_BATCHES_SORTED_TOGETHER = 50


class LengthGroupedOrder(Sampler[int]):
    """An order for each epoch in which rows of like length share a batch, so that little of it is padding.

    It depends on seed and epoch alone: a fit that was interrupted within an epoch goes on in the same order.
    """

    def __init__(self, lengths: Sequence[int], rows_per_batch: int, seed: int) -> None:
        self._lengths = lengths
        self._rows_per_batch = rows_per_batch
        self._seed = seed
        self._epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Called by the trainer's loader before each epoch."""
        self._epoch = epoch

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        source = random.Random(f"order of epoch {self._epoch} under {self._seed}")
        order = list(range(len(self._lengths)))
        source.shuffle(order)
        together = self._rows_per_batch * _BATCHES_SORTED_TOGETHER
        batches: list[list[int]] = []
        for start in range(0, len(order), together):
            block = sorted(order[start : start + together], key=lambda index: -self._lengths[index])
            batches.extend(
                block[first : first + self._rows_per_batch] for first in range(0, len(block), self._rows_per_batch)
            )
        # A batch that is not full has to be the last, or the loader would cut the others anew.
        partial = [batch for batch in batches if len(batch) < self._rows_per_batch]
        full = [batch for batch in batches if len(batch) == self._rows_per_batch]
        source.shuffle(full)
        return iter([index for batch in (*full, *partial) for index in batch])
