"""Graph variables, variable scopes and modules; random number generators.

generator       tf.random.Generator: a random number generator with explicit state
variable_def    A variable of a graph as a message: VariableDef, the names of its nodes
graph_variable  Variables of a graph: each session has its own values for them
partitioned_variable  Variables in parts along one axis, and which part of the whole each is
variable_store  The variables of a graph by name, for tf.compat.v1.get_variable
scope_values    Variable scopes: the defaults of the variables created in a scope
variable_scope  tf.compat.v1.variable_scope: the current scope, and entering scopes
get_variable    tf.compat.v1.get_variable: variables that are created once and found again by name
eager_store     A store for the variables of eager mode, which are then found again by name
module          tf.Module: a container of variables and other modules
"""
