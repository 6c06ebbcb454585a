"""Programs drawn at random, run in every mode, compared with TensorFlow or with themselves.

programs.py   what a program is, and its text
steps.py      the lines it may consist of
modes.py      eagerly, in functions, in sessions, with sizes that are unknown
compare.py    when two outcomes are the same
known.py      where TensorFlow is meant to differ
hunt.py       a seed: draw, run, compare
work.py       seeds in a process of their own
minimise.py   the shortest program that still fails
"""
