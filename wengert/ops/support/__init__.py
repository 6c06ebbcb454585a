"""What the files of operations share.

batch_rules      Batching rules that several families share: move the attributes behind the batch
                 axis
branchless       Kernels that choose between elements
declare          From rows to public functions, for operations whose function only converts its
                 arguments
degenerate_setting  What gradients of coinciding eigenvalues are: the setting of the whole program
half_precision   Two-byte floats: kernels that sum or iterate do so in float32 and convert once at
                 the end
large_kernels    What engines may compute for large arrays outside of graphs, in place of NumPy
parallel         Work in parts, one for each processor
parameter_names  The types of declared functions whose parameters are not called x and y
scipy_lazy       What kernels borrow from SciPy, loaded when it is first needed: it takes longer
                 than Wengert
segment_kernels  Kernels that bring together rows which have the same index
static_value     What is known of a value: whether it is a tensor, its shape, its value before a
                 graph runs
"""
