"""Recurrent networks of tf.compat.v1.nn.

cells      the base of cells, and the simple, gated and long short-term memory ones
lstm       the long short-term memory cell with peepholes, clipping and projection
wrappers   cells around a cell: dropout, residuals, devices
stacked    several cells, one upon the other
steps      what the loops have in common: lengths, batch sizes, initial states
dynamic    loops over time as operations
raw        the loop whose every step the program decides
static     loops over a list of inputs
rnn_cell   the names of tf.compat.v1.nn.rnn_cell
"""
