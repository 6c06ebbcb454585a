"""Amounts of memory, as people write them."""

from __future__ import annotations

import math
import numbers
import re
from typing import Final

_UNITS: Final = {"": 1, "K": 1000, "M": 1000**2, "G": 1000**3, "T": 1000**4}


def bytes_of(amount: str | float, what: str) -> int:
    """The bytes that a number, or a text such as "2GB", "512 MiB" or "1.5e6", stands for.

    >>> bytes_of("1.5kB", "budget"), bytes_of("2 MiB", "budget"), bytes_of(100, "budget")
    (1500, 2097152, 100)
    """
    if isinstance(amount, numbers.Real) and not isinstance(amount, bool):
        found = int(amount)
    else:
        pattern = r"\s*([0-9.]+(?:e[0-9]+)?)\s*([KMGT]?)(I?)B?\s*"
        match = re.fullmatch(pattern, str(amount).upper().replace("E", "e"))
        if match is None:
            raise ValueError(f"{what} is an amount of memory such as '2GB', got {amount!r}.")
        number, unit, binary = match.groups()
        factor = 1024 ** (list(_UNITS).index(unit)) if binary else _UNITS[unit]
        found = int(float(number) * factor)
    if found <= 0:
        raise ValueError(f"{what} must be positive, got {amount!r}.")
    return found


def written(amount: float, unit: str = "B") -> str:
    """An amount of memory, or of something else, to read.

    >>> written(2_500_000), written(640), written(1.2e9, "flop")
    ('2.5 MB', '640 B', '1.2 Gflop')
    """
    power = min(max(int(math.log10(max(amount, 1.0))) // 3, 0), 4)
    return f"{amount / 1000.0**power:.3g} {('', 'k', 'M', 'G', 'T')[power]}{unit}"
