"""Shape inference: what is known of shapes before a graph runs.

shape_inference    What is known of an operation's results before it runs: their dtypes and shapes
list_elements      What a graph tells of the lists in it: their lengths, and the shape of each element
symbolic_integers  Symbolic values of a graph's integers that are shapes, or computed from them
stated_shapes      What a public function states of its result's shape, for when a call is put off
deferred_calls     Deferred calls: put off until the graph runs, as they need what is unknown before
measured_inputs    Which inputs of a deferred call are only measured
example_calls      Calls in vectorized functions that need a number which differs between examples
public_functions   Wrappers of public functions, by which a graph may name them, or put them off
"""
