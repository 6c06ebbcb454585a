"""The machine: operations are rows, and a call is recorded, swept, pushed forward and batched.

row       A row of the table: everything there is to know about one operation
table     The table of operations, and the gradients that users register by operation type
recorder  The interfaces of recorders, interpreters, and graphs under construction
scope     Name scopes as a program enters them
compiled  The innermost functions in C (machine.c), where the package was built with a compiler
context   The state of a thread: its active recorders, and the active interpreter
dispatch  The one door: every operation goes through `apply`
tape      The tape: a flat list of the operations that touched a watched value
reverse   The one sweep: reverse mode is a loop over a list of records, newest first
forward   Forward mode: a recorder that carries a tangent beside each value
layer     A layer: an interpreter on top of another one
batch     Batches: one function over many examples at once
contract  Checks of what a user-defined gradient function returns, and their messages
"""
