"""Helpers that the files of operations share.

batch_rules      Batching rules that several families share: shift axis attributes past the batch
                 axis
branchless       np.where without branches
declare          From rows to public functions, for operations whose function only converts its
                 arguments
degenerate_setting  What gradients of coinciding eigenvalues are: the setting of the whole program
half_precision   Two-byte floats: kernels that sum or iterate do so in float32 and convert once at
                 the end
lapack           The linear algebra of NumPy and of SciPy, with as many threads as the machine has
                 to spare
large_kernels    Kernels that engines may register for large arrays outside of graphs, in place of
                 NumPy
parameter_names  The types of declared functions whose parameters are not called x and y
replaced_types   A warning where a map of gradients names what TensorFlow makes, and a function here
                 does not
scipy_lazy       Lazy imports of SciPy, which takes longer to load than Wengert
segment_kernels  Kernels that reduce rows with the same index
static_value     What is known statically of a value: whether it is a tensor, its shape, its value
"""
