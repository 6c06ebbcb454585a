"""Graphs: operations that are built first and run later.

names           Names within a graph: unique, and nested in scopes
operation       One operation of a graph
order           Operations in an order in which they can run
recorded        An operation that a tape recorded, as one of a graph
devices         Where operations are to run: the names of devices, nested and merged
graph_builder   Building a graph: how operations that come through the door become nodes
graph           Graphs: computations that are built first and run later
function_graph  The graph of a function or a branch: it has inputs, and captures outside values
tracing         Tracing: the graph of what a Python function does
graph_reverse   Reverse mode over a graph: its operations as records, for the same sweep that
                tapes use
exchange        A graph as a message of TensorFlow's, loaded when asked
graph_def       Operations as TensorFlow's message GraphDef
"""
