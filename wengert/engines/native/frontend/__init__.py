"""From the operations of a plan to scalar code.

scalar          Straight-line code on single numbers, in which equal instructions are one
arrays          The intermediate representation: arrays that are computed element by element, and
                views of them
lanes           Symbolic scalars that a kernel gets in place of arrays, so that it emits scalar code
plan_key        A plan as bytes, its key in the cache: plans with equal bytes share a program
lowering        From the operations of a plan to arrays that are computed element by element
templates       The kernels of rows, and functions of lanes, as scalar code
numbers         Numbers that machine code does not compute with as they are: halves, complex ones
parts           The bodies of an operation, lowered: the condition and the body of a loop, the
                branches of a cond
choices         Branches in graphs, lowered whole: each is a plan of its own, of which one runs
loops           Loops in graphs, lowered whole: the condition and the body are plans of their own
list_forms      What the lists of a plan hold, where their lengths and the forms of their elements
                are known
list_rules      Lowering of lists of tensors: a list of known length is an array, with a row for each
                element
index_rules     Lowering of indices that are known only when a graph runs: x[i], and its gradient
random_lanes    Random words and samples of lanes, by the functions that make them for NumPy
random_rules    Lowering of random numbers: Philox in the loop, by the functions that make them for
                NumPy
lowering_rules  Lowering of what is not elementwise: views, reductions, products, softmax, gathers
motion_rules    Lowering of what only moves elements: rolls, mirrors, blocks of pixels, sequences turned round
contractions    Lowering of einsum
diagonal_rules  Lowering of diagonals and bands of matrices: views, and choices by the row and the column
factor_rules    Lowering of small matrices' factors, determinants, inverses and systems
fourier         Fourier transforms, whose real and imaginary parts are arrays of their own
order_rules     Lowering of what orders elements: the place of an extreme, and the first ones in
                sorted order
scan_rules      Lowering of cumulative sums, products and log-sum-exp, and of linear recurrences
scatter_rules   Lowering of gathers by coordinates or for each example, and of scatters
images          Convolutions and pooling: their lowering, and how kernels go over large images
all_rules       All rules of lowering: importing a module fills the tables of `lowering` with what it
                declares
"""
