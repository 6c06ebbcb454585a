"""A plan as a program: built, written down, kept, loaded and run.

arena           The arena: memory for intermediate arrays that never leave the plan
steps           The steps of a plan as calls of functions: of compiled loops and small products,
                and of BLAS
epilogue        Loops that a product carries out itself, on each block as soon as its sums are
                there
program         A plan that runs as machine code: made of what was written down of it
program_writer  A plan is written down: a Python function, and the tables of native steps that it
                calls
schedule        What is computed for a plan, and in which order: loops and products, fused, and
                what stays in memory
segments        What runs for a schedule: runs of native calls, the text of their functions, and
                NumPy's steps between
build           From a plan to what runs: scheduled, emitted, written down
load            A plan that runs: as another process left it on disk, or made now
report          A plan in words: its loops and products, what they move and compute, and the lines
                they come from
"""
