"""Shape inference: what is known of shapes before a graph runs.

shape_inference    What is known of an operation's results before it runs: their dtypes and shapes
symbolic_integers  Integers of a graph that are shapes, or made of them, as exact terms
deferred_calls     Calls that are put off until the graph runs, because they ask for what is not
                   known before
public_functions   What public functions are made of: a graph may name them, or put them off
"""
