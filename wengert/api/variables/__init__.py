"""Variables of graphs, scopes and modules; generators of random numbers.

generator       tf.random.Generator: a source of random numbers that is an object
graph_variable  Variables of a graph: each session gives them a value of its own
variable_store  The variables of a graph by their names, as tf.compat.v1.get_variable makes and
                finds them
scope_values    What holds for the variables that are made in a scope
variable_scope  Variable scopes: where one is, and entering them
get_variable    Variables that are made once, and found again by their names
module          tf.Module: an object that keeps variables together
"""
