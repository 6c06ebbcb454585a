"""Numbers that machine code does not compute with as they are.

retyped          An operation as the same one on other dtypes
halves           float16 and bfloat16: stored in two bytes, computed with in float32
complex_lanes    Symbolic complex numbers: pairs of lanes that a kernel gets in place of arrays
complex_numbers  Complex numbers as pairs of arrays, and what operations do to these
complex_rules    Lowering of what makes complex numbers, takes them apart, and multiplies matrices of them
"""
