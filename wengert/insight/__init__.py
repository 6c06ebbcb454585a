"""Answers: why a gradient is None, zero or NaN; whether a rule is right; what a derivative looks like.

It stands above the interface: nothing below knows it, and it is loaded when somebody asks.

reports       What an answer looks like: in a terminal, in a notebook, as a page
journal       The journal of a tape: every operation with its line, and every exit
name_flow     Which names may have a part in the value of another
program_text  The program as it is written
layout        Lines of at most 80 columns
explain       Why a gradient is None, zero, or not a number
check         Whether a gradient is right, and what is wrong with it
source        The derivative as a program of NumPy, to read and to keep
drawing       The graph of a function and of its gradient, to look at
onnx          The forward graph as ONNX
compare       One function differentiated in all ways, and its derivative as a formula
answers       What tapes ask for: the journal, and the answers
"""
