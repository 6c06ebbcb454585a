"""Summaries: numbers and pictures for TensorBoard.

writer   Writers of event files
current  The writer and the step in force, and whether anything is recorded
kinds    Scalars, histograms, images, sounds, texts, tensors
graphs   Graphs, and traces that nobody makes
version_1  Summaries that a session runs: tf.compat.v1.summary
"""
