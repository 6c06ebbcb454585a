"""Engines, which compute the plans of graphs. They register themselves: `execution.engine_registry`.

register      Registers the engines by name when Wengert is imported; the compiler is loaded on
              demand
claim_checks  The first run of a plan for given sizes: every result is checked against the shape and
              dtype that the graph inferred
dead_values   Plans in which values may be dead, on the way that a Switch did not take
numpy_engine  The reference engine: a plan as straight-line Python that calls NumPy's functions

native        The native engine: plans compiled to machine code by LLVM, large matrix products by
              OpenBLAS
xla           The XLA engine: plans as functions of jax.numpy, where JAX is installed
"""
