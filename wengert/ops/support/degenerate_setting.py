"""What gradients of coinciding eigenvalues are: the setting of the whole program."""

from __future__ import annotations

from typing import Final

CHOICES: Final = ("tensorflow", "exact")


class _Setting:
    degenerate = "tensorflow"


def set_degenerate(degenerate: str) -> None:
    """Say what gradients of coinciding eigenvalues and singular values are, where a call does not.

    It is the default of the argument `degenerate` of `tf.linalg.eigh`, `eigvalsh` and `svd`, and what
    norms and others that are made of them use. A function that was traced before keeps what held then.

    - "tensorflow", at the beginning: a quotient by the difference of coinciding values is zero, or
      large and arbitrary.
    - "exact": the true gradient, of every order, or an InvalidArgumentError that says why there is none.
      It is there where only the values are used, and coinciding ones alike, or only the vectors,
      and a turn of coinciding ones among themselves does not matter. Where a function uses
      both, as V f(e) V^H does, the gradient holds f', which `eigh` cannot know: use
      `tf.spectral_function`, which is exact in any case, as `tf.linalg.sqrtm`, `expm` and `logm` are.

    >>> tf.config.set_degenerate("exact")
    >>> a = tf.eye(2)
    >>> tf.grad(lambda a: tf.reduce_sum(tf.linalg.eigvalsh(a) ** 2.0))(a).numpy().round(4).tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    >>> tf.config.set_degenerate("tensorflow")
    """
    _Setting.degenerate = chosen(degenerate)


def get_degenerate() -> str:
    """What was said by set_degenerate: "tensorflow" or "exact".

    >>> tf.config.get_degenerate()
    'tensorflow'
    """
    return _Setting.degenerate


def chosen(degenerate: str | None) -> str:
    """The choice of a call, or of the program; ValueError if it is none of `CHOICES`."""
    found = _Setting.degenerate if degenerate is None else degenerate
    if found not in CHOICES:
        raise ValueError(f"`degenerate` must be one of {CHOICES}, got {degenerate!r}.")
    return found
