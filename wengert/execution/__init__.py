"""How graphs are run: what has to run, by which engine, and once more elsewhere.

plan             Plans: what has to run for some results, in which order, and when each value may
                 be dropped
description      What a plan does, in words: its steps, what they move and compute, and the lines
                 they come from
engine_registry  The engines there are, and which of them computes a graph
derived_graphs   Graphs that follow from a graph: of its gradients, and of its tangents
replay           A graph carried out once more, elsewhere: operation by operation, for other inputs
by_size          Graphs whose sizes only a call brings: carried out once more for each combination
                 of sizes
subgraph         Subgraphs: graphs that another operation runs, or a call, and that are
                 differentiated as one operation
"""
