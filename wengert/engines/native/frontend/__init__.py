"""From the operations of a plan to scalar code.

scalar          Straight-line code on single numbers, in which equal instructions are one
arrays          The intermediate representation: arrays that are computed element by element, and
                views of them
lanes           Symbolic scalars that a kernel gets in place of arrays, so that it emits scalar code
plan_key        A plan as bytes, its key in the cache: plans with equal bytes share a program
lowering        From the operations of a plan to arrays that are computed element by element
lowering_rules  Lowering of what is not elementwise: views, reductions, products, softmax, gathers
contractions    Lowering of einsum
"""
