"""Variables: the values that change.

creators  tf.variable_creator_scope: functions of the program that make its variables
variable  Variables: values that can be replaced
cell      Cells: the values that sessions keep for the handles of variables and other resources
"""
