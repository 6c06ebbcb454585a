"""The machine: operations are rows, and a call is recorded, swept, pushed forward and batched.

row       A row of the table: everything there is to know about one operation
table     The table of operations, and the gradients that users register by operation type
recorder  Who listens to operations, who takes them, and who builds a graph of them: what each is
          asked
context   What is active in a thread: who listens to operations, and who takes them
dispatch  The one door: every operation goes through `apply`
tape      The tape: a flat list of the operations that touched a watched value
reverse   The one sweep: reverse mode is a loop over a list of records, newest first
forward   Forward mode: a recorder that carries a tangent beside each value
batch     Batches: one function over many examples at once
contract  What a gradient function that somebody else wrote must return, and the words when it
          does not
"""
