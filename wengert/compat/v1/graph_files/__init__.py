"""Graphs of version 1 as files.

exporting      A graph with its collections, and what saves its variables, as MetaGraphDef
importing      MetaGraphDef into a graph
saver          tf.compat.v1.train.Saver: with the graph beside the variables
initial_values tf.compat.v1.train.init_from_checkpoint
collections    The collections of a graph as messages
saver_nodes    The nodes by which a graph in a file saves and restores its variables
graph_util     Parts of a GraphDef; variables as constants
saved_models   Saved models of version 1: a graph, its variables, its signatures
"""
