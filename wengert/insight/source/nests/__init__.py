"""The derivative as loops: programs of C99, and of Python for numba.

index            Where an element of an array stands
language         What the languages have in common, and in what they differ
c_language       C99
numba_language   Python as numba compiles it
scalars          Scalar code as an expression
nest             Loops within each other, and which two can be one
lowered          Operations as arrays that are computed element by element
rules            Operations that the front of the native engine does not lower
convolutions     Convolutions and their gradients
emission         Arrays as loops
control          Loops and branches of the program
nest_writer      A derivation as loops
c_piles          What loops leave for the way back, in C
c_program        A program of C99, and what a compiler makes of it
numba_piles      What loops leave for the way back, for numba
numba_program    A program for numba
"""
