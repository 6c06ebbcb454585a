"""Answers: why a gradient is None, zero or NaN; whether a rule is right; what a derivative looks like.

It stands above the interface: nothing below knows it, and it is loaded when somebody asks.

reports  What an answer looks like: in a terminal, in a notebook, as a page
"""
