"""What the programs give differently here, by the place in the result; the whole result is ''."""

from __future__ import annotations

# What Wengert lacks: see each name.
LACKING: dict[str, list[str]] = {
    "control flow/Defun gradient": ["[2]"],
    "control flow/pruned": ["[0][1]"],
    "control flow/branches assign": [""],
    "functions/concrete captured": ["[2]", "[4]"],
    "functions/Defun": ["[2]"],
    "functions/wrapped": ["[3]"],
    "variables/handles": ["[1]"],
    "written as tests/handles": ["[1]"],
}

# Another kind of error, an error at another place, or none.
KINDS: dict[str, list[str]] = {
    "arrays/shaped refused": ["[22]", "[42]"],
    "arrays/other arrays refused": ["[16]", "[17]"],
    "control flow/case errors": ["[1]"],
    "functions/functions refused": ["[4]", "[6]"],
    "gradients/gradients of nothing": ["[6]"],
    "mathematics/elementwise refused": ["[2]", "[5]"],
    "mathematics/linear refused": ["[11]"],
    "mathematics/operators refused": ["[3]"],
    "networks/layers refused": ["[2]", "[8]"],
    "networks/images refused": ["[16]"],
    "sparse/sparse refused": ["[17]", "[20]"],
    "sparse/ragged refused": ["[0]"],
    "variables/variables refused": ["[14]", "[15]"],
    "pictures/likeness": ["[6]"],
    "spectra/fourier refused": ["[3]"],
    "spectra/frames refused": [""],
    "spectra/frames added refused": ["[1]"],
    "spectra/spectra refused": ["[3]"],
    "arrays of tensors/array unstacked": [""],
}

# Dtypes for which TensorFlow has no kernel, or another result.
DTYPES: dict[str, list[str]] = {
    "mathematics/unary abs": ["[uint8]"],
    "mathematics/unary negative": ["[uint8]"],
    "mathematics/unary sign": ["[uint8]"],
    "mathematics/binary divide": ["[bool]"],
    "mathematics/binary truncatemod": ["[int8]", "[uint8]", "[int16]"],
    "mathematics/binary pow": ["[uint8]"],
    "mathematics/binary squared_difference": ["[int8]", "[uint8]", "[int16]"],
    "mathematics/binary divide_no_nan": ["[bool]"],
    "mathematics/reductions' dtypes": ["[complex64][4]"],
    "operators/operator circulant": ["[0][16]"],
    "operators/operator circulant of two": ["[0][16]"],
    "operators/operator circulant of three": ["[0][16]"],
}

# Static sizes: more of them are known here, or fewer.
SIZES: dict[str, list[str]] = {
    "arrays/slices' shapes": ["[1][0][2]"],
    "arrays/gather shapes": ["[3][0][0]"],
    "arrays/static shapes": ["[1][0][1]"],
    "networks/images' shapes": ["[6][2]"],
    "sparse/sparse shapes": ["[3]", "[4][1]"],
    "layers/convolutions shapes": ["[3]", "[6]"],
    "pictures/images turned shapes": [""],
}

# The order of rows, what stands for a value, and more operations in a graph.
OTHERS: dict[str, list[str]] = {
    "gradients/gradients as slices": ["[0][3]"],
    "gradients/checker of version 1": ["[3]"],
    "mathematics/operators": ["[11]"],
    "variables/assigned": ["[18]"],
    "variables/feeds": ["[7]"],
    "variables/constant values": ["[7]", "[9]", "[11]", "[17]"],
    "variables/eager": [""],
    "variables/specs": [""],
    "operators/operators multiplied": ["[triangle diagonal]"],
    "written as tests/names of operations": ["[1]"],
    "written as tests/exported and imported": ["[1]"],
}

KNOWN = LACKING | KINDS | DTYPES | SIZES | OTHERS
