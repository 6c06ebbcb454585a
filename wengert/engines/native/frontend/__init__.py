"""From the operations of a plan to scalar code.

scalar          Straight-line code on single numbers, in which equal instructions are one
arrays          A graph as arrays that are computed element by element: what there is to compile
lanes           What a kernel sees in place of NumPy and arrays, so that it writes scalar code
plan_key        What a plan says, as bytes: plans of the same bytes are computed by the same
                program
lowering        From the operations of a plan to arrays that are computed element by element
lowering_rules  Operations that are more than elementwise: views, reductions, products, patterns
                of rows
"""
