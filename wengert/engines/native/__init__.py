"""The native engine: plans compiled to machine code by LLVM, large matrix products by OpenBLAS.

From a graph to loops:

scalar        straight-line code on single numbers
lanes         what a kernel sees in place of NumPy and arrays: it writes scalar code
mathematics   exp, log, sin and the others, written with lanes, a file a family
arrays        a graph as arrays that are computed element by element
lowering      from operations to that; `rules` has those that are more than elementwise
simplifying   nothing twice, nothing in vain, few large matrix products
fusing        which arrays are computed in one loop

From loops to machine code:

layout        the axes, rows and columns, parts and stages of a loop
emitting      loops as LLVM's language, on vectors (`vectors`)
products      which products of matrices are machine code, too; `multiplying` writes them,
              `finishing` the loops that they carry out on what they have computed
machine       LLVM itself; `objects` loads what it wrote before without it, `cache` keeps files
processor     what this processor can do

A plan written down:

engine        from a graph to all of that
calls         its steps: functions, arrays, parts; those of products
writing       the Python function around them; `memory` says where arrays lie that nobody sees
digest        what a plan says, as bytes: under a digest of them it is kept

What runs, and loads nothing of the above where the plan is kept:

starting      a plan as another process left it, or made now
running       what can be called, made of what was written down
runtime       what goes through the steps without Python; `entry` gets there, `threads` has the pool
blas          OpenBLAS, found and called by address; `eager` uses it outside of graphs

For large arrays outside of graphs, whatever their sizes (`wengert.engines.fast` asks):

kernels       functions whose sizes are arguments: how they are written, compiled and called
flat          elementwise rows; `rows` sums, extremes and softmax; `columns` batch norm
pools         pooling; `routes` the gradient of maxima
direct        convolutions; `depthwise` those of single channels; `lines` what both see of an image
meeting       extremes of rows with one index; `neighbours` local response normalization

describing    a plan in words
"""
