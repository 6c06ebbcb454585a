"""Autograph: Python's branches and loops on tensors, in what tf.function traces.

source_text  Source text: the syntax tree of a function, at the lines and columns of its file
expressions  Expressions: calls, conditions and lazy operators become calls of ours
jumps        Jumps: `return`, `break` and `continue` become flags
liveness     Liveness: which variables are read after a statement
statements   Statements: branches and loops become calls of our operators
conversion   Conversion: a Python function with our operators in place of its own

state        The state of a statement: the variables that its blocks write
values       Values of variables, in parts: tensors, and all else
branches     Branches: what `if`, `and`, `or`, `not` do
loops        Loops: what `while` and `for` do
calls        Calls: what converted code calls is converted, too
entry        What users call: conversion by hand, what is left alone, and options of loops
"""
