"""How graphs are run: plans, engines, derived graphs, and replays.

plan             Plans: what has to run for some results, in which order, and when each value may
                 be dropped
fed_sizes        Sizes that come with what is fed
description      A plan in words: its steps, what they move and compute, and their source lines
engine_registry  The registry of engines, and which of them computes a graph
derived_graphs   Graphs derived from a graph: of its gradients, and of its tangents
replay           Replays a graph, operation by operation, for other inputs
open_forms       Graphs for the sizes of a call whose forms say what other calls may bring
by_size          Graphs with symbolic sizes, specialized for each combination of sizes
subgraph         Subgraphs: graphs that another operation or a call runs, and that are
                 differentiated as one operation
part             A part of a graph as a graph of its own, which engines compile for the sizes of
                 what comes in
"""
