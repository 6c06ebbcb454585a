"""Neural networks.

activations          Neural-network pieces: activations, softmax and the losses built on it
batch_norm           Batch normalisation in one operation, with its gradient in few passes over
                     memory
bias                 A bias for each channel
clipping             Several tensors clipped by the norm of all of them together, and that norm
ctc                  Connectionist temporal classification: the likelihood of a sequence of
                     labels, over all alignments
ctc_decoding         The most likely class of each step, read as a sequence of labels
dropout              Dropout: elements become zero by chance, and the others larger
local_response_norm  Local response normalization: each element over the size of its neighbours
                     along the channels
losses               Losses of neural networks that are made of other operations
normalization        Means, variances, and what is normalised with them
space_depth          Blocks of space moved into the batch or the depth, and back
sparse_embedding     Rows of a table, combined as sparse ids say

conv                 Convolutions
pool                 Pooling and morphology: what becomes of the elements in a window
"""
