"""Variables: the values that change.

replicas   Which replica of a strategy runs in a thread, and how replicas share variables
creators   tf.variable_creator_scope: functions of the program that make its variables
slice_info  Which part of a larger variable a variable is, as savers note it
variable   Variables: values that can be replaced
unset      Variables without a value yet: eager handles
cell       Cells: the values that sessions keep for the handles of variables and other resources
"""
