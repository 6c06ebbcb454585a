"""The forward graph as ONNX, which Netron shows and other runtimes compute.

model        Nodes, values and constants, and how they are written
terms        Values that are calculated with: an operator is a node
site         An operation that is being written: its inputs as terms, its attributes, its shapes
elementwise  Functions of NumPy, of which the kernels of elementwise operations consist
shaping      Where elements go
reductions   Sums and their kin, products of matrices, softmax
windows      Convolutions and pooling, normalization
export       From a graph to a model
"""
