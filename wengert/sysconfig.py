"""tf.sysconfig: how it was built. There is nothing to compile operations in C++ against."""

import typing as _typing

CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0


def get_build_info() -> dict[str, _typing.Any]:
    """What it was built with: no GPU libraries.

    >>> tf.sysconfig.get_build_info()["is_cuda_build"]
    False
    """
    return {"is_cuda_build": False, "is_rocm_build": False, "is_tensorrt_build": False}


def _none(what: str) -> _typing.NoReturn:
    raise NotImplementedError(
        f"Wengert has no {what} to compile an operation in C++ with. Write it in Python: "
        "tf.register_op, tf.wrap or tf.custom_gradient."
    )


def get_include() -> str:
    """An error: there are no headers."""
    return _none("headers")


def get_lib() -> str:
    """An error: there is no library."""
    return _none("library")


def get_compile_flags() -> list[str]:
    """An error: there are no headers."""
    return _none("headers")


def get_link_flags() -> list[str]:
    """An error: there is no library."""
    return _none("library")
