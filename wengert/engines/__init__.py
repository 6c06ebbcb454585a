"""Engines: what runs a graph.

plan            Plans: what has to run for some results, in which order, and when each value may
                be dropped
claim_checks    The first run of a plan for given sizes: every result is held against what the
                graph says of it
numpy_engine    The reference engine: a plan as straight-line Python over NumPy's functions
select          Which engine computes a plan
large_arrays    Machine code for large arrays outside of compiled plans, where there is some
numpy_openblas  Functions of OpenBLAS, whichever way a copy of it was built

native          The native engine: plans compiled to machine code by LLVM, large matrix products
                by OpenBLAS
"""
