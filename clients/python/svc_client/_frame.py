from __future__ import annotations

import datetime
import decimal
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas


def free_names(names: Iterable[str], columns: Iterable[Any]) -> list[str]:
    """Returns the names, each with the prefix ``svc_`` as often as it takes to differ from all columns."""
    taken = set(columns)
    return [_free(name, taken) for name in names]


def _free(name: str, taken: set[Any]) -> str:
    return _free(f"svc_{name}", taken) if name in taken else name


def inputs_of(frame: pandas.DataFrame, input: str | list[str] | None) -> list[Any]:
    """Returns the input of every row: the value of one column, or the values of several by name.

    Raises ``KeyError`` for a column that the frame lacks, and ``ValueError`` for a name that several columns have.
    """
    columns = [input] if isinstance(input, str) else list(input or frame.columns)
    if any(list(frame.columns).count(name) > 1 for name in columns):
        raise ValueError("several columns have the name of an input: rename them")
    values = [[_plain(value) for value in frame[name].tolist()] for name in columns]
    if isinstance(input, str) or (input is None and len(columns) == 1):
        return values[0]
    names = [str(name) for name in columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*values, strict=True)]


def _plain(value: Any) -> Any:
    """Returns a cell as JSON has it: numbers of NumPy with all their digits, times as ISO 8601, NaN as null."""
    import numpy as np
    import pandas as pd

    if isinstance(value, dict):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(each) for each in value]
    if pd.api.types.is_scalar(value) and pd.isna(value):
        return None
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value).isoformat()
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return pd.Timedelta(value).isoformat()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, datetime.date | datetime.time):
        return value.isoformat()
    return float(value) if isinstance(value, decimal.Decimal) else value
