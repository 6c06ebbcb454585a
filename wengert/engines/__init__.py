"""Engines: what computes the plans of graphs. They register themselves (`execution.engine_registry`).

register      The engines, made known by name when Wengert is imported; what compiles is loaded when
              it is needed
claim_checks  The first run of a plan for given sizes: every result is held against what the graph
              says of it
numpy_engine  The reference engine: a plan as straight-line Python over NumPy's functions

native        The native engine: plans compiled to machine code by LLVM, large matrix products by
              OpenBLAS
"""
