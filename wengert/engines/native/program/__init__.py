"""A plan as a program: built, serialized, cached, loaded and run.

arena           The arena: memory for intermediate arrays that never leave the plan
steps           The steps of a plan as function calls: compiled loops, compiled products, and BLAS
epilogue        Epilogues: loops fused into a product, run on each block as soon as its sums are
                complete
program         A plan that runs as machine code, created from its serialized program
program_writer  Serializes a plan: a Python function, and the tables of native steps that it calls
room            The room in results that are not written yet, for intermediate arrays
schedule        What is computed for a plan, and in which order: fused loops and products, and what
                is stored
bodies          Functions that call those of the bodies of an operation: of a loop, or of branches
choices         Branches of a graph as one function, which calls those of the branch that an index
                chooses
loops           A loop of a graph as one function, which calls those of its condition and its body
rows            What a loop takes or emits, an element for each iteration: rows, or a list
modules         Functions of a plan as modules of LLVM IR, which are compiled while other functions are
                written
units           The functions of a plan as units: each with all that it calls, as a module of its
                own
segments        The segments of a schedule: runs of native calls with their LLVM IR, and NumPy's
                steps
build           From a plan to a program: scheduled, emitted, serialized
load            Loads the program of a plan from the cache, or builds it
report          A plan in words: its loops and products, what they move and compute, and their
                source lines
"""
